import { chmod, chown, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { has } from "../formats/consumers.js";
import { BINARY, type Finished, run } from "../support/binary.js";
import { CREDENTIALS, DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { terminal } from "../support/terminal.js";

/** Command lines that need no folder, with their exit codes; D is a data file, U a server. */
const WITHOUT_FOLDER: [code: number, words: string][] = [
  [0, "--version"],
  [0, "--help"],
  [0, "get PORT --url U"],
  [0, "get PORT FLAGS --url U --json"],
  [0, "get PORT --url U --cache"],
  [0, "list --url U"],
  [0, "show PORT --url U"],
  [0, "show PORT --url U"],
  [0, "export --url U --format json"],
  [0, "health --url U"],
  [0, "doctor --url U"],
  [0, "config --url U"],
  [0, "run --url U -- true"],
  [0, "diff U D:shop/development"],
  [0, "get PORT --data D --env shop/development"],
  [0, "set PORT 1 --data D --env shop/development"],
  [0, "unset PORT --data D --env shop/development"],
  [0, "env list --data D"],
  [0, "init --data D.new"],
  [0, "sandbox -- true"],
  [0, "profile list"],
  [0, "sign GET /"],
  [0, "openapi"],
  [0, "completion bash"],
  [2, "nonsense"],
];

/** Command lines that need the current folder. */
const WITH_FOLDER = ["allow", "allow --revoke"];

/** Makes `sh` run as a user without a home and without an entry in the user database. */
const UNKNOWN = "cd / && unset HOME && exec setpriv --reuid 12345 --regid 12345 --clear-groups";

/** Runs a command line where `sh` has run this before. */
async function appvars(
  words: string,
  before: string,
  env: Record<string, string> = {},
): Promise<Finished> {
  const [{ url }, { path }] = [await runningServer(), await dataFile(DATA)];
  if (before === UNKNOWN)
    for (const owned of [dirname(path), path]) await chown(owned, 12345, 12345);
  const args = words.replace(/\bU\b/, url).replace(/\bD\b/, path).split(" ");
  return run("sh", ["-c", `${before} "$@"`, "sh", process.execPath, BINARY, ...args], {
    ...CREDENTIALS,
    ...env,
  });
}

/** A single message of appvars. */
const ONE_LINE = /^appvars: .*\n$/;

describe("in a folder that has been deleted", () => {
  const before = 'mkdir "$GONE" && cd "$GONE" && rmdir "$GONE" &&';
  const where = async () => ({ GONE: join(await temporaryFolder(), "gone") });

  it.each(WITHOUT_FOLDER)("exit code is %d in a deleted folder: %s", async (expected, words) => {
    const { code, stderr } = await appvars(words, before, await where());
    expect([code, stderr]).toEqual([
      expected,
      expect.not.stringMatching(/deleted|uv_cwd|\n {4}at /),
    ]);
  });

  it.each(WITH_FOLDER)(
    "a command that needs a deleted folder says so in one line: %s",
    async (words) => {
      const finished = await appvars(words, before, await where());
      expect(finished).toEqual({
        code: 2,
        stdout: "",
        stderr: "appvars: the current folder has been deleted: change to another\n",
      });
    },
  );

  it.skipIf(!has("script", "--version"))(
    "the TUI does not start in a deleted folder, and says so in one line",
    async () => {
      const { path } = await dataFile(DATA);
      const tty = terminal(
        `${before} exec '${process.execPath}' '${BINARY}' tui --no-color --data '${path}'`,
        await where(),
      );
      expect(await tty.exitCode).toBe(2);
      expect(tty.written()).toBe(
        "appvars: the current folder has been deleted: change to another\r\n",
      );
    },
  );
});

describe("with an empty HOME", () => {
  it.each(WITHOUT_FOLDER)("exit code is %d with an empty HOME: %s", async (expected, words) => {
    // Without HOME, the home would be the one in the user database.
    const env = { HOME: "", XDG_CONFIG_HOME: await temporaryFolder() };
    const { code, stderr } = await appvars(words, "cd / &&", env);
    expect([code, stderr]).toEqual([expected, expect.not.stringMatching(/\n {4}at /)]);
  });
});

const canBeUnknown = process.getuid?.() === 0 && has("setpriv", "--reuid", "12345", "cat", BINARY);

// Skipped where this can't run as another user: only root can.
describe.skipIf(!canBeUnknown)("for an unknown user without a home", () => {
  it.each(WITHOUT_FOLDER)(
    "exit code is %d for an unknown user without a home: %s",
    async (expected, words) => {
      const { code, stderr } = await appvars(words, UNKNOWN);
      expect([code, stderr]).toEqual([expected, expect.not.stringMatching(/\n {4}at /)]);
    },
  );

  it.each(["profile add x --no-check --url http://127.0.0.1:1", "allow F"])(
    "a command that can't store anything without a home says so in one line: %s",
    async (words) => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, ".appvars.json"), "{}");
      await chmod(folder, 0o755);
      const { code, stderr } = await appvars(words.replace("F", folder), UNKNOWN);
      expect([code, stderr]).toEqual([2, expect.stringMatching(ONE_LINE)]);
      expect(stderr).toContain("set HOME or XDG_CONFIG_HOME");
    },
  );
});
