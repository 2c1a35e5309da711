import { describe, expect, it } from "vitest";
import { BINARY, type Finished, run } from "../support/binary.js";
import { CREDENTIALS } from "../support/data.js";
import { runningServer } from "../support/running-server.js";
import { canFakeDns, withLoopbackName, withSilentDns } from "../support/silent-dns.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const HOST = "vars.invalid";
const LIMITS = ["--timeout", "0.4", "--max-wait", "0.6"];

/**
 * Seconds for --max-wait, one --timeout, and the start on a slow machine. The system itself waits
 * for 10 or more.
 */
const MAX_S = 5;

async function appvars(
  args: readonly string[],
  { within = withSilentDns(), port = "80", cache = "/dev/null" } = {},
): Promise<Finished & { seconds: number }> {
  const [program = "", ...words] = [...(await within), process.execPath, BINARY, ...args];
  const startedAt = performance.now();
  const finished = await run(program, words, {
    XDG_CACHE_HOME: cache,
    APPVARS_URL: `http://${HOST}:${port}`,
    ...CREDENTIALS,
  });
  return { ...finished, seconds: (performance.now() - startedAt) / 1_000 };
}

// Skipped where a program can't have its own name servers, which requires Linux, unshare and ip,
// and where Node can't end during a lookup, before 22.15.
describe.skipIf(!canFakeDns || !("execve" in process))("a DNS server that never answers", () => {
  it.each([
    ["get", ["get", "PORT", ...LIMITS]],
    ["get --json", ["get", "PORT", "--json", ...LIMITS]],
    ["export", ["export", ...LIMITS]],
    ["list", ["list", ...LIMITS]],
    ["health", ["health", ...LIMITS]],
    ["doctor", ["doctor", ...LIMITS]],
    ["run", ["run", ...LIMITS, "--", "false"]],
  ])("%s exits 5 in time if a DNS server never answers", async (_command, args) => {
    const { code, stdout, stderr, seconds } = await appvars(args);
    expect([code, stdout + stderr]).toEqual([
      5,
      expect.stringMatching(/gave up after 1 s|within 0.4 s/),
    ]);
    expect(seconds).toBeLessThan(MAX_S);
  });

  it("Tab completion ends within a few seconds if a DNS server never answers", async () => {
    const { code, stdout, seconds } = await appvars(["__complete", "names", "", "get"]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(seconds).toBeLessThan(MAX_S);
  });

  it.each([
    ["get", 0],
    ["run", 3],
  ])("%s --cache uses the cache if a DNS server never answers", async (command, expected) => {
    const [port, cache] = [new URL((await runningServer()).url).port, await temporaryFolder()];
    const program = ["--only", "PORT", "--", "sh", "-c", `echo $PORT; exit ${expected}`];
    const args = [command, "--cache", ...(command === "run" ? program : ["PORT"])];
    const first = await appvars(args, { within: withLoopbackName(HOST), port, cache });
    expect(first).toMatchObject({ code: expected, stdout: "3000\n", stderr: "" });
    const again = await appvars([command, "--timeout", "0.4", ...args.slice(1)], { port, cache });
    const stderr = expect.stringContaining("using values from");
    expect(again).toMatchObject({ code: expected, stdout: "3000\n", stderr });
    expect(again.seconds).toBeLessThan(MAX_S);
  });
});
