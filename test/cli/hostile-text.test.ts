import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Command } from "../../src/cli/arguments/command.js";
import { loadAll } from "../../src/cli/command-registry.js";
import { createLog } from "../../src/cli/commands/serve/serve-log.js";
import { quickComplete } from "../../src/cli/completion/quick-complete.js";
import { colorsFor } from "../../src/cli/output/colors.js";
import { printable } from "../../src/kit/text/printable.js";
import { httpPeer, tcpPeer } from "../client/peer.js";
import { type CliOptions, runCli, runWith } from "../support/cli.js";
import { dangers, HOSTILE, HOSTILE_FILE, HOSTILE_LABEL } from "../support/hostile.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** A command line with hostile text in all that it reads. */
interface Case {
  argv: string[];
  options?: CliOptions;
  /** Whether stdout is the requested value as it is, and so may contain anything. */
  raw?: boolean;
}

const SECRETS = { APPVARS_API_KEY: "key", APPVARS_API_SECRET: "secret" };

const DATA = {
  version: 1,
  environments: [
    {
      id: 1,
      application: HOSTILE_LABEL,
      name: "dev",
      api_key: "k1",
      api_secret: "example-secret-1",
    },
    {
      id: 2,
      application: HOSTILE_LABEL,
      name: HOSTILE_LABEL,
      api_key: "k2",
      api_secret: "example-secret-2",
    },
  ],
  variables: [
    { id: 1, application: HOSTILE_LABEL, type: "STRING", name: "TEXT", description: HOSTILE },
    { id: 2, application: HOSTILE_LABEL, type: "JSON", name: "TREE", description: HOSTILE },
    { id: 3, application: HOSTILE_LABEL, type: "STRING", name: "PATH", description: HOSTILE },
  ],
  values: [
    { id: 1, variable_id: 1, environment_id: 1, content: { value: HOSTILE } },
    { id: 2, variable_id: 2, environment_id: 1, content: { value: { [HOSTILE]: [HOSTILE] } } },
    { id: 3, variable_id: 3, environment_id: 1, content: { value: HOSTILE } },
    { id: 4, variable_id: 1, environment_id: 2, content: { value: `other${HOSTILE}` } },
  ],
};

/**
 * A data file with hostile text in each field, under a hostile name; a file to import; settings;
 * profiles.
 */
async function hostileFolder() {
  const cwd = join(await temporaryFolder(), HOSTILE_FILE);
  const config = join(cwd, "config");
  const project = join(cwd, "project");
  await mkdir(config, { recursive: true });
  await mkdir(project);
  const write = async (name: string, content: unknown) => {
    const path = join(cwd, name);
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content), {
      mode: 0o600,
    });
    return path;
  };
  const profiles = {
    [HOSTILE]: { url: "https://vars.example", api_key: HOSTILE },
    [`p${HOSTILE}`]: { data: HOSTILE },
  };
  await write(".appvars.json", { [HOSTILE]: HOSTILE });
  await write("project/.appvars.json", { url: HOSTILE, profile: HOSTILE, data: HOSTILE });
  await write("config/profiles.json", { version: 1, current: HOSTILE, profiles });
  return {
    cwd,
    config,
    project,
    write,
    data: await write("vars.json", DATA),
    broken: await write("broken.json", { ...DATA, [HOSTILE]: 1 }),
    misnamed: await write("misnamed.json", {
      ...DATA,
      variables: [{ ...DATA.variables[0], name: HOSTILE }],
    }),
    importable: await write("import.json", { TEXT: `new${HOSTILE}`, ADDED: HOSTILE }),
    refused: await write("refused.json", { [HOSTILE]: 1 }),
    dotenv: await write("refused.env", `${HOSTILE}=x`),
  };
}

type Folder = Awaited<ReturnType<typeof hostileFolder>>;

/** Each command, on files. */
function fileCases({ cwd, config, project, ...paths }: Folder): Case[] {
  const data = ["--data", paths.data];
  const dev = [...data, "--env", "dev"];
  const profiles = { config };
  const missing = ["--data", join(cwd, "missing.json")];
  const plain = (...argv: string[]): Case => ({ argv });
  return [
    plain("list", ...dev),
    plain("list", "--values", ...dev),
    plain("list", "--filter", HOSTILE, ...dev),
    plain("list", "--env", HOSTILE, ...data),
    plain("list", "--data", paths.broken, "--env", "dev"),
    plain("list", "--data", paths.misnamed, "--env", "dev"),
    plain("list", ...missing, "--env", "dev"),
    { argv: ["get", "TEXT", "TREE", ...dev], raw: true },
    plain("get", HOSTILE, ...dev),
    plain("show", "TEXT", ...dev),
    plain("show", "--values", "TREE", ...dev),
    plain("show", HOSTILE, ...dev),
    plain("health", ...dev),
    plain("health", "--data", paths.broken, "--env", "dev"),
    plain("doctor", ...dev),
    plain("doctor", ...data, "--env", HOSTILE),
    plain("doctor", "--data", paths.broken, "--env", "dev"),
    plain("check", "--env", HOSTILE_LABEL, ...data),
    plain("check", "--all", "--example", join(cwd, HOSTILE), ...data),
    plain("diff", "dev", HOSTILE_LABEL, ...data),
    plain("diff", "dev", HOSTILE_LABEL, "--values", ...data),
    plain("diff", "dev", `${HOSTILE}:x`, ...data),
    plain("diff", paths.data),
    plain("diff", paths.broken),
    ...["dotenv", "shell", "json", "yaml", "docker", "tfvars"].map((format) => {
      return { argv: ["export", "--format", format, ...dev], raw: true };
    }),
    plain(
      "export",
      "--format",
      "docker",
      "--skip-unsupported",
      "--output",
      join(cwd, "out.env"),
      ...dev,
    ),
    plain("export", "--format", "typescript", ...dev),
    plain("export", "--only", HOSTILE, ...dev),
    plain("export", "--exclude", HOSTILE, "--output", join(cwd, "out"), ...dev),
    plain("export", "--output", join(cwd, "out"), ...dev),
    plain("export", "--format", HOSTILE, ...dev),
    plain("import", paths.importable, "--dry-run", ...dev),
    plain("import", paths.importable, "--dry-run", "--values", ...dev),
    plain("import", paths.importable, ...dev),
    plain("import", paths.refused, ...dev),
    plain("import", paths.dotenv, ...dev),
    plain("import", join(cwd, "missing.env"), ...dev),
    plain("set", "TEXT", HOSTILE, "--description", HOSTILE, ...dev),
    plain("set", HOSTILE, "x", ...dev),
    plain("unset", HOSTILE, ...dev),
    plain("unset", "PATH", ...dev),
    plain("set", "TEXT", HOSTILE, "--all-envs", "--dry-run", "--values", ...data),
    plain("set", "NEW", HOSTILE, "--all-envs", "--application", HOSTILE, ...data),
    plain("unset", "TEXT", "--all-envs", ...data),
    plain("rename", "TEXT", "TEXT_2", "--dry-run", "--values", ...data),
    plain("rename", HOSTILE, "A", ...data),
    plain("rename", "TREE", HOSTILE, ...data),
    plain("rename", "TREE", "PATH", ...data),
    plain("env", "list", ...data),
    plain("env", "rename", "dev", HOSTILE, ...data),
    plain("env", "rename", HOSTILE_LABEL, `${HOSTILE_LABEL}2`, "--dry-run", ...data),
    plain("env", "rename", HOSTILE_LABEL, "dev", ...data),
    plain("env", "rename", HOSTILE_LABEL, "a/b", ...data),
    plain("env", "add", "copy", "--from", HOSTILE_LABEL, "--dry-run", "--values", ...data),
    plain("env", "add", "copy", "--from", HOSTILE, ...data),
    plain("env", "add", HOSTILE, ...data),
    plain("env", "add", `${HOSTILE_LABEL}/new`, ...data),
    plain("env", "rotate", HOSTILE_LABEL, "--grace", "1h", ...data),
    plain("env", "rotate", HOSTILE, ...data),
    plain("env", "remove", HOSTILE_LABEL, ...data),
    plain("env", "remove", HOSTILE_LABEL, "--yes", ...data),
    plain("env", "key", "add", "dev", "--name", HOSTILE, ...data),
    plain("env", "key", "add", "dev", "--name", HOSTILE_LABEL, ...data),
    plain("env", "key", "add", "dev", "--name", HOSTILE_LABEL, ...data),
    plain("env", "key", "add", "dev", "--name", "ana", "--only", HOSTILE, ...data),
    plain("env", "key", "add", "dev", "--name", "ana", "--expires", HOSTILE, ...data),
    plain("env", "key", "list", ...data),
    plain("env", "key", "list", HOSTILE, ...data),
    plain("env", "key", "rotate", "dev", HOSTILE_LABEL, "--expires", "1d", "--dry-run", ...data),
    plain("doctor", ...dev),
    plain("env", "key", "rotate", "dev", HOSTILE, ...data),
    plain("env", "key", "remove", "dev", HOSTILE, ...data),
    plain("env", "key", "remove", "dev", HOSTILE_LABEL, ...data),
    plain("migrate", paths.data, join(cwd, "copy.json")),
    plain("migrate", paths.data, paths.misnamed),
    plain("migrate", paths.broken, HOSTILE),
    plain("migrate", `etcd://${HOSTILE}`, HOSTILE),
    plain("merge", paths.data, paths.data, paths.data, HOSTILE),
    plain("merge", join(cwd, HOSTILE), paths.data, paths.broken),
    plain("merge", paths.data, paths.misnamed, paths.broken, HOSTILE),
    plain("seal", paths.broken),
    plain("seal", paths.misnamed, "--seal-key-file", join(cwd, HOSTILE)),
    plain("seal", `etcd://${HOSTILE}`),
    plain("unseal", paths.misnamed, "--seal-key-file", paths.data),
    plain("init", "--git", "--bare", "--data", join(cwd, "git.json")),
    plain("history", "--values", "--data", paths.data),
    plain("history", HOSTILE, "--env", HOSTILE, "--data", paths.data),
    plain("history", "--data", paths.broken),
    plain("rollback", "1", "--values", "--data", paths.data, "--only", HOSTILE),
    plain("rollback", HOSTILE, "--data", paths.data),
    plain("history", "--prune", "1", "--store", `etcd://${HOSTILE}`),
    plain("history", "--prune", HOSTILE, "--store", "etcd://127.0.0.1"),
    plain("init", "--data", paths.data),
    plain("init", "--data", join(cwd, "new.json")),
    plain("run", "--only", "TREE", ...dev, "--", HOSTILE_FILE),
    plain("run", "--only", HOSTILE, ...dev, "--", "true"),
    plain("run", ...dev, "--", "true"),
    plain("sandbox", ...data, "--env", "dev", "--", HOSTILE_FILE),
    plain("sandbox", ...data, "--env", HOSTILE, "--", "true"),
    plain("serve", "--port", "0", ...data),
    plain("serve", "--port", "0", "--log-format", "json", ...data),
    plain("serve", "--port", "0", "--data", paths.broken),
    plain("serve", "--host", HOSTILE, ...data),
    plain("env", "credentials", HOSTILE, ...data),
    plain("env", "credentials", HOSTILE_LABEL, ...data),
    plain("init", "--from", paths.refused, "--data", join(cwd, "other.json")),
    { argv: ["allow", HOSTILE], options: { cwd } },
    { argv: ["allow"], options: { cwd } },
    { argv: ["allow"], options: { cwd: project, config } },
    { argv: ["allow", "--revoke"], options: { cwd: project, config } },
    { argv: ["config"], options: { ...profiles, cwd } },
    { argv: ["config", "--profile", HOSTILE], options: profiles },
    { argv: ["config", "--profile", `p${HOSTILE}`], options: profiles },
    { argv: ["profile", "list"], options: profiles },
    { argv: ["profile", "use", `p${HOSTILE}`], options: profiles },
    { argv: ["profile", "use", `none${HOSTILE}`], options: profiles },
    { argv: ["profile", "remove", HOSTILE], options: profiles },
    {
      argv: ["profile", "add", HOSTILE, "--no-check", "--url", "http://127.0.0.1:1"],
      options: profiles,
    },
    { argv: ["profile", "add", "new", ...dev], options: profiles },
    { argv: ["list", "--profile", `none${HOSTILE}`], options: profiles },
    { argv: ["sign", "GET", HOSTILE], options: { env: SECRETS } },
    plain("audit", HOSTILE, ...data),
    plain("audit", paths.broken, ...data),
    plain("audit", paths.dotenv, "--since", HOSTILE, ...data),
    plain("openapi"),
    plain("completion", "bash"),
    plain("connection"),
    plain("tui", ...data),
    plain("tui", "--data", paths.broken),
    plain(HOSTILE),
    plain(`list\n(Did you mean ${HOSTILE}?)`),
    plain("list", `--${HOSTILE}`),
    plain("list", "--type", HOSTILE),
  ];
}

/** Settings with hostile text, from each place that they come from. */
function settingCases({ cwd, config, project }: Folder): Case[] {
  const names = [
    "URL",
    "API_KEY",
    "AUTH",
    "TIMEOUT",
    "MAX_WAIT",
    "CA_FILE",
    "CLIENT_CERT",
    "CLIENT_KEY",
    "DATA",
    "STORE",
    "PROFILE",
  ];
  const commands = [["list"], ["config"], ["doctor"], ["show", "TEXT"]];
  const given = [
    ...names.map((name) => ({ env: { ...SECRETS, [`APPVARS_${name}`]: HOSTILE_FILE } })),
    ...["SEAL_KEY_FILE", "SEAL_KEY", "STORE_CA_FILE"].map((name) => {
      return { env: { APPVARS_STORE: "etcd://127.0.0.1:1", [`APPVARS_${name}`]: HOSTILE_FILE } };
    }),
    { config },
    { cwd, env: { APPVARS_ALLOW_PROJECT: "1" } },
    { cwd },
    { cwd: project },
    { cwd: project, env: { APPVARS_ALLOW_PROJECT: "1" } },
  ];
  return [
    ...given.flatMap((options) => commands.map((argv) => ({ argv, options }))),
    { argv: ["list", "--api-secret-file", HOSTILE_FILE], options: { cwd } },
  ];
}

/** Each command that reads, from a server. */
function serverCases(url: URL, { data }: Folder): Case[] {
  const env = { ...SECRETS, APPVARS_URL: url.origin, APPVARS_MAX_WAIT: "0", APPVARS_TIMEOUT: "2" };
  const lines = [
    ["list"],
    ["list", "--values"],
    ["get", "MISSING"],
    ["show", "--values", "TEXT"],
    ["export", "--format", "docker"],
    ["check"],
    ["export", "--strict"],
    ["health"],
    ["doctor"],
    ["diff", url.origin, `${data}:dev`, "--values"],
    ["run", "--", "true"],
    ["run", "--only", "TEXT", "--", HOSTILE_FILE],
  ];
  return [
    { argv: ["get", "TEXT"], options: { env }, raw: true },
    ...lines.map((argv) => ({ argv, options: { env } })),
  ];
}

/** A server of one variable, which has this name. */
function serving(name: string): Promise<{ url: URL }> {
  return httpPeer(({ url = "" }, response) => {
    const [path = ""] = url.split("?");
    response.statusCode = path.includes("MISSING") ? 404 : 200;
    response.end(
      JSON.stringify(path.includes("MISSING") ? { message: HOSTILE } : answerTo(path, name)),
    );
  });
}

function answerTo(path: string, name: string): object {
  const page = (data: object[]) => ({
    metadata: { limit: 100, offset: 0, total: data.length },
    data,
  });
  const content = { value: HOSTILE };
  const value = { id: 1, variable_id: 1, content };
  const variable = { id: 1, type: "STRING", name, description: HOSTILE };
  if (path === "/v1/check") return { missing: [name], invalid: [{ name: "TEXT", rule: HOSTILE }] };
  if (path === "/healthz") return { uptime: 1, message: HOSTILE, date: HOSTILE };
  if (path.endsWith("/content")) return content;
  if (path.startsWith("/v1/variables-values-by-name/")) return value;
  if (path.startsWith("/v1/variables-values")) return page([value]);
  return path === "/v1/variables" ? page([variable]) : variable;
}

/** A server whose every answer of data is a message with this status. */
function failing(
  status: number,
  answer: object = { message: HOSTILE, uptime: 1, date: HOSTILE },
): Promise<{ url: URL }> {
  return httpPeer((_request, response) => {
    response.writeHead(status, { "content-type": "application/json", "retry-after": "x\u009b" });
    response.end(JSON.stringify(answer));
  });
}

const SERVERS: Record<string, () => Promise<{ url: URL }>> = {
  "descriptions, values and health": () => serving("TEXT"),
  names: () => serving(HOSTILE),
  "names like the one asked for": () => serving(`MISSING${HOSTILE}`),
  "the message of a 400": () => failing(400),
  "the message of a 404": () => failing(404),
  "the message of a 418": () => failing(418),
  "the message of a 503": () => failing(503),
  "Location, Date and ETag": () =>
    tcpPeer((socket) => {
      const headers = ["Location", "Date", "ETag", "X-RateLimit-Limit"].map(
        (name) => `${name}: \u202e\u009b31m\u200b`,
      );
      socket.end(`HTTP/1.1 302 \u009b31m\r\n${headers.join("\r\n")}\r\nContent-Length: 0\r\n\r\n`);
    }),
  "something else than HTTP": () => tcpPeer((socket) => socket.end(HOSTILE)),
};

/** The four ways to call a command: by a program, by one that wants JSON, and by a person. */
const FORMS: [flags: string[], terminal: boolean][] = [
  [[], false],
  [["--json"], false],
  [[], true],
  [["--verbose"], true],
];

/**
 * Runs these in each way on fresh files.
 *
 * @returns the forbidden text in their output, by command line
 */
async function dangersIn(casesOf: (folder: Folder) => Case[]): Promise<Record<string, string[]>> {
  const found: [string, string[]][] = [];
  for (const [flags, terminal] of FORMS) {
    for (const { argv, options, raw = false } of casesOf(await hostileFolder())) {
      const words = [...flags, ...argv];
      const { stdout, stderr } = await runCli(words, { ...options, terminal });
      found.push([printable(words.join(" ")), dangers(raw ? stderr : stdout + stderr)]);
    }
  }
  return Object.fromEntries(found.filter(([, all]) => all.length > 0));
}

describe("hostile text", () => {
  it("from files and arguments is escaped by every command", async () => {
    expect(await dangersIn(fileCases)).toEqual({});
  });

  it("from settings is escaped", async () => {
    expect(await dangersIn(settingCases)).toEqual({});
  });

  it("from a store is escaped", async () => {
    const { url } = await failing(400, { error: HOSTILE, message: HOSTILE, code: 3 });
    const store = `etcd://${url.host}`;
    const lines = [
      ["list"],
      ["doctor"],
      ["set", "A", "x"],
      ["env", "list"],
      ["diff", "a", `${store}/p:${HOSTILE}`],
    ];
    expect(
      await dangersIn(() => lines.map((argv) => ({ argv: [...argv, "--store", store] }))),
    ).toEqual({});
  });

  it.each(Object.entries(SERVERS))("from a server is escaped: in %s", async (_what, open) => {
    const { url } = await open();
    expect(await dangersIn((folder) => serverCases(url, folder))).toEqual({});
  });

  it("the tests of hostile text cover every command", async () => {
    const all = await loadAll();
    const lines = fileCases(await hostileFolder()).map(({ argv }) => argv.join(" "));
    expect(
      callsOf(all).filter((call) => !lines.some((line) => `${line} `.startsWith(`${call} `))),
    ).toEqual([]);
  });

  it("is printed as readable escapes", async () => {
    const { data } = await hostileFolder();
    const { stdout } = await runCli(["list", "--filter", "text", "--data", data, "--env", "dev"]);
    expect(stdout).toBe(
      "TEXT\tSTRING\t\\x1b[2J\\x1b]0;x\\x07\\x00\\r\\nFORGED\\tx\\x7f\\x9b31m\\u{202e}\\u{2066}\\u{61c}" +
        "\\u{200b}\\xad\\u{2028}\\u{feff}\\u{3164}\\u{e0041}\\u{d800}\n",
    );
  });

  it("is the same data in JSON", async () => {
    const { data } = await hostileFolder();
    const { stdout } = await runCli([
      "get",
      "TEXT",
      "TREE",
      "--json",
      "--data",
      data,
      "--env",
      "dev",
    ]);
    expect(dangers(stdout)).toEqual([]);
    expect(JSON.parse(stdout)).toEqual({ TEXT: HOSTILE, TREE: { [HOSTILE]: [HOSTILE] } });
  });

  it("get prints hostile text unchanged, as requested", async () => {
    const { data } = await hostileFolder();
    expect(await runCli(["get", "TEXT", "--data", data, "--env", "dev"])).toEqual({
      code: 0,
      stdout: `${HOSTILE}\n`,
      stderr: "",
    });
  });

  it("in a description is escaped by completion", async () => {
    const { data, config } = await hostileFolder();
    const { stdout } = await runWith(
      (io) => quickComplete(["__complete", "names", "TEXT", "--data", data], io),
      {
        config,
      },
    );
    expect(stdout).toMatch(/^TEXT\t\\x1b/);
    expect(dangers(stdout.replace("\t", ""))).toEqual([]);
  });

  it.each(["environments", "profiles"])("is not offered to a shell among the %s", async (kind) => {
    const { data, config } = await hostileFolder();
    const { stdout } = await runWith(
      (io) => quickComplete(["__complete", kind, "", "--data", data], io),
      { config },
    );
    expect(dangers(stdout)).toEqual([]);
  });

  it.each(["pretty", "json"] as const)("is escaped in a log in the format %s", async (format) => {
    const { stderr } = await runWith(async ({ stderr: stream }) => {
      const { log } = createLog(stream, format, () => 0, await colorsFor(stream, {}, true));
      log("error", HOSTILE);
    });
    expect(stderr).toContain("FORGED");
    expect(dangers(stderr)).toEqual([]);
  });

  it("in requests is escaped in the server's log", async () => {
    const { data } = await hostileFolder();
    let answered: Promise<unknown> | undefined;
    const onStdout = (text: string) => {
      const port = Number(/:(\d+)/.exec(text)?.[1]);
      answered = Promise.all(TARGETS.map((target) => answeredBy(port, target)));
    };
    const untilStopped = async () => {
      await expect.poll(() => answered).toBeDefined();
      await answered;
    };
    const { stderr } = await runCli(["serve", "--verbose", "--port", "0", "--data", data], {
      onStdout,
      untilStopped,
    });
    expect(stderr).toContain("GET (no such route) 404");
    expect(dangers(stderr)).toEqual([]);
  });
});

const TARGETS = [
  "/%1b[2J%E2%80%AE",
  "/\u001b[2J",
  "/\u202e\u200b",
  "/\u009b31m",
  "//\u0007",
  "/?\r\nFORGED",
];

/** Resolves once the server has closed the connection on which it got this. */
async function answeredBy(port: number, target: string): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => {});
  socket.end(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`).resume();
  await once(socket, "close");
}

/** The words that call each command. */
function callsOf({ commands }: Command, words: string[] = []): string[] {
  if (!commands) return [words.join(" ")];
  return Object.entries(commands).flatMap(([name, child]) => callsOf(child, [...words, name]));
}
