import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { LoadEnvOptions } from "../../src/library/load-env.js";
import { REPOSITORY } from "../docs/documents.js";
import { BINARY, run } from "../support/binary.js";
import { edited } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

type Env = Record<string, string>;

const LIBRARY = JSON.stringify(pathToFileURL(join(REPOSITORY, "dist/index.js")).href);
const PRINT = "console.log(JSON.stringify(Object.entries(process.env).sort()));";

/** Runs a module that has `loadEnv`, without a terminal. */
function program(code: string, env: Env) {
  return run(
    process.execPath,
    ["--input-type=module", "-e", `import { loadEnv } from ${LIBRARY};\n${code}`],
    env,
  );
}

/** The variables of shop/development, one of them with a reserved name. */
async function local(): Promise<Env> {
  const { path } = await dataFile(edited(({ variables }) => (variables[5].name = "NODE_OPTIONS")));
  return { APPVARS_DATA: path, APPVARS_ENV: "shop/development" };
}

describe("loadEnv fills process.env as run does", () => {
  it.each<[string[], LoadEnvOptions, Env?]>([
    [[], {}],
    [["--only", "PORT,D*", "--exclude", "DEBUG"], { only: ["PORT", "D*"], exclude: ["DEBUG"] }],
    [
      ["--prefix", "APP_", "--name-transformer", "lower"],
      { prefix: "APP_", nameTransformer: "lower" },
    ],
    [["--allow-reserved", "NODE_OPTIONS"], { allowReserved: ["NODE_OPTIONS"] }],
    [["--preserve-env"], { preserveEnv: true }, { PORT: "80", NODE_OPTIONS: "--no-warnings" }],
    [["-f", "my.env"], { envFile: ["my.env"] }, { PORT: "80" }],
    [
      ["-f", "my.env", "--preserve-env"],
      { envFile: ["my.env"], preserveEnv: true },
      { PORT: "80" },
    ],
    [["--env", "billing/development"], { env: "billing/development" }],
  ])("%j", async (flags, options, own = {}) => {
    const env = { ...(await local()), ...own };
    const folder = await temporaryFolder();
    await writeFile(join(folder, "my.env"), "PORT=4000\nOWN=5\n", { mode: 0o600 });
    const file = (name: string) => name.replace("my.env", join(folder, "my.env"));
    const child = [process.execPath, "-e", PRINT];
    const passed = await run(
      process.execPath,
      [BINARY, "run", ...flags.map(file), "--", ...child],
      env,
    );
    const filled = await program(`await loadEnv(${file(JSON.stringify(options))});\n${PRINT}`, env);
    expect([passed.code, filled.code]).toEqual([0, 0]);
    expect(filled.stdout).not.toBe("");
    expect(JSON.parse(filled.stdout)).toEqual(JSON.parse(passed.stdout));
    // One of `run` is not a warning of Node.js.
    const [, warning = ""] = /AppvarsWarning: (.*)/.exec(filled.stderr) ?? [];
    expect(`appvars: ${warning}`.trim()).toBe(passed.stderr.trim() || "appvars:");
  });
});

describe("the process of the program", () => {
  it("keeps its signals, its streams and its exit code, and ends by itself", async () => {
    const { url } = await runningServer();
    const code = `
      const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT"];
      const events = ["exit", "beforeExit", "warning", "uncaughtException", "unhandledRejection", ...signals];
      const count = () => events.map((event) => process.listenerCount(event)).join();
      const before = count();
      const { PORT } = await loadEnv({ url: "${url}", apiKey: "dev-key", apiSecret: "dev-secret", cache: true });
      console.log(PORT, count() === before, process.exitCode);`;
    const cache = await temporaryFolder();
    expect(await program(code, { XDG_CACHE_HOME: cache })).toEqual({
      code: 0,
      stdout: "3000 true undefined\n",
      stderr: "",
    });
  });

  it("gets an error that it can catch, and nothing on its output", async () => {
    const code = `
      import { AppvarsError, UnreachableError } from ${LIBRARY};
      const error = await loadEnv({ url: "http://127.0.0.1:1", apiSecret: "a", maxWait: 0 }).catch((reason) => reason);
      console.log(error instanceof AppvarsError, error instanceof UnreachableError, error.code, process.exitCode);`;
    const { stdout, stderr } = await program(code, {});
    expect({ stdout, stderr }).toEqual({ stdout: "true true unreachable undefined\n", stderr: "" });
  });

  it("gets warnings through Node.js, or its own function", async () => {
    const env = await local();
    const { stderr } = await program("await loadEnv();", env);
    expect(stderr).toMatch(/^\(node:\d+\) AppvarsWarning: left out NODE_OPTIONS: .*\n/);
    const own = await program(
      'await loadEnv({ onWarning: (text) => console.log("own", text) });',
      env,
    );
    expect(own).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^own left out NODE_OPTIONS: /),
    });
  });

  it("loads the code of the command line only when it is called", async () => {
    const code = `
      import { createRequire } from "node:module";
      const { cache } = createRequire(import.meta.url);
      const loaded = () => Object.keys(cache).filter((path) => /(load-variables|main)\\.cjs$/.test(path)).length;
      const before = loaded();
      await loadEnv();
      console.log(before, loaded());`;
    expect(await program(code, { ...(await local()), NODE_NO_WARNINGS: "1" })).toEqual({
      code: 0,
      stdout: "0 1\n",
      stderr: "",
    });
  });
});
