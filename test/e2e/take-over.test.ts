import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { has } from "../formats/consumers.js";
import { BINARY, type Finished, run, runScript } from "../support/binary.js";
import { runCli } from "../support/cli.js";
import { dataFile } from "../support/data-file.js";
import { aVariable } from "../support/records.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** A data file with these variables in its only environment. */
async function fileWith(variables: Record<string, string>): Promise<string> {
  const { path } = await dataFile({
    version: 1,
    environments: [{ id: 1, name: "test", api_key: "test-key", api_secret: "test-secret" }],
    variables: Object.keys(variables).map((name, index) => aVariable({ id: index + 1, name })),
    values: Object.values(variables).map((value, index) => ({
      ...{ id: index + 1, variable_id: index + 1, environment_id: 1 },
      content: { value },
    })),
  });
  return path;
}

async function sourceOf(variables: Record<string, string>): Promise<Record<string, string>> {
  return { APPVARS_DATA: await fileWith(variables), APPVARS_ENV: "test" };
}

describe("a program that run starts", () => {
  /**
   * Variables that make a program create the file MARK, with a script that runs it in a folder with
   * a file `a.c`.
   */
  const ATTACKS: [name: string, value: string, script: string, needs: string][] = [
    [
      "TAR_OPTIONS",
      "--checkpoint=1 --checkpoint-action=exec=touch\\ MARK",
      "tar cf /dev/null a.c",
      "tar",
    ],
    ["GIT_TRACE", "MARK", "git --version", "git"],
    ["GIT_TRACE2_EVENT", "MARK", "git --version", "git"],
    ["CC", "touch MARK; :", "make -s -B a.o", "make"],
    ["BASH_ENV", "MARK.sh", "bash -c : < /dev/null", "bash"],
    [
      "MAILPATH",
      "a.c?$(touch MARK)",
      "(echo 'sleep 1.1; echo >> a.c'; echo :) | bash --norc -i",
      "bash",
    ],
    ["PROMPT_COMMAND", "touch MARK", "echo : | bash --norc -i", "bash"],
    ["PS1", "$(touch MARK)", "echo : | bash --norc -i", "bash"],
  ];

  it.each(ATTACKS.filter(([, , , needs]) => has(needs, "--version")))(
    "is not taken over by %s, but has it with --allow-reserved",
    async (name, value, script) => {
      const folder = await temporaryFolder();
      const mark = join(folder, "mark");
      await writeFile(join(folder, "a.c"), "");
      await writeFile(`${mark}.sh`, `touch ${mark}`);
      const env = {
        ...(await sourceOf({ [name]: value.replaceAll("MARK", mark) })),
        MAILCHECK: "0",
      };
      const command = ["--", "sh", "-c", `cd ${folder} && { ${script}; }`];
      const start = (flags: string[]) =>
        run(process.execPath, [BINARY, "run", ...flags, ...command], env);
      const { code, stderr } = await start([]);
      expect([code, existsSync(mark)]).toEqual([0, false]);
      expect(stderr).toContain(`appvars: left out ${name}: `);
      await start(["--allow-reserved", name]);
      expect(existsSync(mark)).toBe(true);
    },
  );
});

describe("a shell that evaluates an export", () => {
  it.skipIf(!has("bash", "--version"))("keeps its prompt and its path, with a note", async () => {
    const mark = join(await temporaryFolder(), "mark");
    const variables = {
      PROMPT_COMMAND: `touch ${mark}`,
      PATH: "/nowhere",
      BASH_ENV: mark,
      LD_PRELOAD: mark,
      PLAIN: "x",
    };
    const { stdout, stderr } = await runScript(
      `eval "$(appvars export --format shell)"; printf '%s\\n' "$PLAIN" "$PROMPT_COMMAND$BASH_ENV$LD_PRELOAD"; tail -n 0 /dev/null && echo found`,
      await sourceOf(variables),
      "bash",
    );
    expect(stdout).toBe("x\n\nfound\n");
    expect(stderr).toContain("appvars: left out PROMPT_COMMAND, PATH, BASH_ENV, LD_PRELOAD: ");
  });
});

describe("export", () => {
  const VARIABLES = { PATH: "/evil", PORT: "3000", node_options: "--require=/evil.js" };

  const exported = async (argv: string[]): Promise<Finished> =>
    runCli(["export", ...argv], { env: await sourceOf(VARIABLES) });

  it.each([
    ["dotenv"],
    ["shell"],
    ["fish"],
    ["docker"],
    ["kubernetes"],
    ["compose"],
    ["systemd"],
    ["powershell"],
  ])(
    "leaves reserved names out of %s, warns even with --quiet, and exits with 0",
    async (format) => {
      for (const flags of [[], ["--quiet"]]) {
        const { code, stdout, stderr } = await exported(["--format", format, ...flags]);
        expect([code, stdout.includes("PORT"), /evil|PATH|node_options/.test(stdout)]).toEqual([
          0,
          true,
          false,
        ]);
        expect(stderr).toMatch(
          /^appvars: left out PATH, node_options: .* --allow-reserved PATH,node_options\n$/,
        );
      }
    },
  );

  it("leaves reserved names out of github's file", async () => {
    const file = join(await temporaryFolder(), "set_env");
    const { code, stdout, stderr } = await exported(["--format", "github", "--output", file]);
    expect([code, stdout]).toEqual([0, "::add-mask::3000\n"]);
    expect(stderr).toContain("left out PATH, node_options: ");
    expect(await readFile(file, "utf8")).toMatch(/^PORT<<\w+\n3000\n\w+\n$/);
  });

  it("judges a name as --name-transformer changes it", async () => {
    const { stdout, stderr } = await exported([
      "--format",
      "docker",
      "--name-transformer",
      "tf-var",
    ]);
    expect(stdout).toContain("TF_VAR_path=/evil\n");
    expect(stderr).toBe("");
  });

  it.each([["json"], ["yaml"], ["tfvars"]])(
    "writes every name as %s, a data format",
    async (format) => {
      const { code, stdout, stderr } = await exported(["--format", format]);
      expect([code, stderr]).toEqual([0, ""]);
      for (const value of Object.values(VARIABLES)) expect(stdout).toContain(value);
    },
  );

  it("--allow-reserved writes the listed names, and still leaves out the others", async () => {
    const { stdout, stderr } = await exported(["--format", "docker", "--allow-reserved", "PATH"]);
    expect(stdout).toBe("PATH=/evil\nPORT=3000\n");
    expect(stderr).toContain("left out node_options: ");
    const all = await exported(["--format", "docker", "--allow-reserved", "PATH,node_options"]);
    expect(all).toEqual({
      code: 0,
      stdout: "PATH=/evil\nPORT=3000\nnode_options=--require=/evil.js\n",
      stderr: "",
    });
  });

  it("does not need the key for a value that it leaves out", async () => {
    const env = await sourceOf({ PATH: "envbee:enc:v1:AAAA", HOST: "example" });
    expect(await runCli(["export"], { env })).toMatchObject({ code: 0, stdout: "HOST=example\n" });
  });

  it.each([
    ["a name that is not reserved", "PORT"],
    ["a pattern", "LD_PRELOAD*"],
    ["an empty name", "PATH,"],
  ])("--allow-reserved refuses %s", async (_what, names) => {
    expect(await exported(["--allow-reserved", names])).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("sandbox", () => {
  const sandbox = async (flags: string[]) => {
    const data = await fileWith({ PATH: "/evil", PORT: "3000" });
    const command = ["--", process.execPath, BINARY, "export", "--format", "json"];
    return run(process.execPath, [BINARY, "sandbox", "--data", data, ...flags, ...command]);
  };

  it("serves no reserved names to any client, and lists those that it leaves out", async () => {
    const { code, stdout, stderr } = await sandbox([]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { PORT: "3000" }]);
    expect(stderr).toMatch(/^appvars: left out PATH: .* --allow-reserved PATH\n$/);
  });

  it("--allow-reserved serves the listed names", async () => {
    const { stdout, stderr } = await sandbox(["--allow-reserved", "PATH"]);
    expect([JSON.parse(stdout), stderr]).toEqual([{ PATH: "/evil", PORT: "3000" }, ""]);
  });
});
