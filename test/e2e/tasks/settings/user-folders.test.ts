import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BINARY, type Finished, run } from "../../../support/binary.js";
import { serverEnvironment } from "../../../support/running-server.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const SOMEBODY = 12_345;
const isRoot = process.getuid?.() === 0;

const AS_SOMEBODY = [
  "--reuid",
  String(SOMEBODY),
  "--regid",
  String(SOMEBODY),
  "--clear-groups",
  "--",
];

/** Whether another user may run this Node, which may lie in root's home. */
const canBeSomebody =
  isRoot &&
  spawnSync("setpriv", [...AS_SOMEBODY, "env", process.execPath, BINARY, "--version"]).status === 0;

function appvars(line: string, env: Record<string, string>): Promise<Finished> {
  return run(process.execPath, [BINARY, ...line.split(" ")], env);
}

describe.skipIf(process.platform === "win32")("a home folder in a project", () => {
  it.each(["", "."])("HOME=%j takes no profile from the current folder", async (home) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, ".config", "appvars"), { recursive: true });
    const profiles = { version: 1, current: "x", profiles: { x: { url: "http://stranger" } } };
    await writeFile(join(folder, ".config", "appvars", "profiles.json"), JSON.stringify(profiles));
    const script = 'cd "$1" && exec "$2" "$3" config';
    const { stdout } = await run("sh", ["-c", script, "sh", folder, process.execPath, BINARY], {
      HOME: home,
    });
    expect(stdout).not.toContain("stranger");
  });
});

describe.skipIf(!existsSync("/dev/null"))("HOME=/dev/null, where nothing can be created,", () => {
  it.each(["get PORT", "get PORT --cache", "list", "run --cache -- true", "config", "doctor"])(
    "HOME=/dev/null does not delay %s",
    async (line) => {
      const { code, stderr } = await appvars(line, {
        ...(await serverEnvironment()),
        HOME: "/dev/null",
      });
      expect([code, stderr.replace(/^appvars: can't keep or remove answers in .*\n/, "")]).toEqual([
        0,
        "",
      ]);
    },
  );

  it.each(["profile add x --no-check --url http://a", "allow"])(
    "HOME=/dev/null makes %s fail",
    async (line) => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, ".appvars.json"), "{}");
      const words = line === "allow" ? `allow ${folder}` : line;
      const { code, stderr } = await appvars(words, { HOME: "/dev/null" });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("there is no home folder to store this in"),
      ]);
    },
  );
});

// Windows has no such links, and no such owners.
describe.skipIf(process.platform === "win32")("a config folder that can't be read", () => {
  it.skipIf(!canBeSomebody)(
    "an unreadable profiles file is a note for another user, for example in a container",
    async () => {
      const home = await temporaryFolder();
      await mkdir(join(home, ".config", "appvars"), { recursive: true, mode: 0o700 });
      await chmod(home, 0o755);
      const env = { ...(await serverEnvironment()), HOME: home };
      const note = `continuing without profiles: ${home}/.config/appvars/profiles.json can't be read (EACCES)`;
      for (const line of ["get PORT", "run --only PORT -- printenv PORT"]) {
        const { code, stdout, stderr } = await asSomebody(
          [process.execPath, BINARY, ...line.split(" ")],
          env,
        );
        expect([code, stdout]).toEqual([0, "3000\n"]);
        expect(stderr).toContain(note);
      }
    },
  );

  it.skipIf(!canBeSomebody)(
    "a user without HOME and without a name has no profiles and gets no note",
    async () => {
      const words = ["env", "-u", "HOME", process.execPath, BINARY, "list"];
      expect(await asSomebody(words, await serverEnvironment())).toMatchObject({
        code: 0,
        stderr: "",
      });
    },
  );
});

function asSomebody(words: string[], env: Record<string, string>): Promise<Finished> {
  return run("setpriv", [...AS_SOMEBODY, ...words], env);
}
