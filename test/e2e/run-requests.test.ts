import { describe, expect, it } from "vitest";
import { encrypt } from "../../src/client/envelope.js";
import { BINARY, run, start } from "../support/binary.js";
import { CREDENTIALS, edited } from "../support/data.js";
import { forwardingServer } from "../support/forwarding-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const ALL = "/v1/variables-values-by-name";
const PRINT = ["--", process.execPath, "-p", "process.env.PORT"];

async function world(options: Parameters<typeof forwardingServer>[0] = {}) {
  const server = await forwardingServer(options);
  const env = { APPVARS_URL: server.url, ...CREDENTIALS };
  const appvars = (...flags: string[]) =>
    run(process.execPath, [BINARY, "run", ...flags, ...PRINT], env);
  return { ...server, env, appvars };
}

describe("the requests of run", () => {
  it.each([
    [[], [ALL]],
    [["--only", "PORT"], [`${ALL}?names=PORT`]],
    [["--prefix", "X_", "--exclude", "DEBUG", "--preserve-env"], [ALL]],
  ])("run %j takes one", async (flags, expected) => {
    const { appvars, targets } = await world();
    expect((await appvars(...flags)).code).toBe(0);
    expect(targets).toEqual(expected);
  });

  it("run takes one if values are encrypted, since texts need no types", async () => {
    const data = edited(({ values }) => {
      values[0].content.value = encrypt("8080", "key");
    }) as object;
    const { env, targets } = await world({ data });
    const finished = await run(process.execPath, [BINARY, "run", ...PRINT], {
      ...env,
      APPVARS_ENC_KEY: "key",
    });
    expect(finished).toMatchObject({ code: 0, stdout: "8080\n" });
    expect(targets).toEqual([ALL]);
  });

  it("run --cache keeps all values, whichever it passes on", async () => {
    const { env, targets } = await world();
    const home = { HOME: await temporaryFolder() };
    const cached = (...flags: string[]) =>
      run(process.execPath, [BINARY, "run", ...flags, ...PRINT], { ...env, ...home });
    expect(await cached("--cache", "--only", "DEBUG")).toMatchObject({
      code: 0,
      stdout: "undefined\n",
    });
    expect(targets).toEqual([ALL]);
    for (const flags of [[], ["--only", "PORT"], ["--only", "P*"]])
      expect(await cached("--offline", ...flags)).toMatchObject({ code: 0, stdout: "3000\n" });
    expect(targets).toEqual([ALL]);
  });

  it("run --watch asks whether the values have changed", async () => {
    const { env, statuses, targets } = await world();
    const program = start(
      process.execPath,
      [BINARY, "run", "--watch=0.1", "--", "sleep", "60"],
      env,
    );
    await expect.poll(() => statuses.length, { timeout: 10_000 }).toBeGreaterThan(2);
    program.kill("SIGTERM");
    expect(statuses.slice(0, 3)).toEqual([200, 304, 304]);
    expect(new Set(targets)).toEqual(new Set([ALL]));
  });
});
