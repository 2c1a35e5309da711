import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { BINARY, type Finished, run, start } from "../support/binary.js";
import { CREDENTIALS, DATA, edited } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const canExec = "execve" in process;

type Env = Record<string, string>;

async function local(data: unknown = DATA): Promise<Env> {
  const { path } = await dataFile(data as typeof DATA);
  return { APPVARS_DATA: path, APPVARS_ENV: "shop/development" };
}

function appvars(args: readonly string[], env: Env): Promise<Finished> {
  return run(process.execPath, [BINARY, "run", ...args], env);
}

/** Where an ELF file says how many program headers it has (ELF-64 Object File Format, 3). */
const E_PHNUM = 56;

/** The first bytes of a binary for this machine. */
async function elfHeader(): Promise<Buffer> {
  return (await readFile("/bin/sh")).subarray(0, 64);
}

const SPAWN_REST = `child_process.spawnSync(process.argv[1], process.argv.slice(2), { stdio: "inherit" })`;

describe.skipIf(canExec)("with a version of Node that can't replace its process", () => {
  it("run --exec exits 2 before it reads anything", async () => {
    const env = {
      APPVARS_URL: "http://127.0.0.1:1",
      APPVARS_API_KEY: "key",
      APPVARS_API_SECRET: "secret",
    };
    expect(await appvars(["--exec", "--", "true"], env)).toEqual({
      code: 2,
      stdout: "",
      stderr: `appvars: --exec needs Node 22.15, 23.11 or newer; this is Node ${process.versions.node}\n`,
    });
  });
});

describe.skipIf(!canExec)("with a version of Node that can replace its process", () => {
  it("run --exec gives its process id, stdin and exit code to the program, and the variables", async () => {
    const script = 'cat; echo "$$ $0 $PORT [$APPVARS_API_SECRET]"; exit 7';
    const args = ["run", "--exec", "--", "sh", "-c", script];
    const child = start(process.execPath, [BINARY, ...args], {
      ...(await local()),
      APPVARS_API_SECRET: "secret",
    });
    child.stdin?.end("from stdin\n");
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout as Readable),
      text(child.stderr as Readable),
      once(child, "close"),
    ]);
    expect([code, stdout, stderr]).toEqual([7, `from stdin\n${child.pid} sh 3000 []\n`, ""]);
  });

  it("run --exec warns before the program starts, and Node does not", async () => {
    const data = edited(({ variables }) => Object.assign(variables[0], { name: "NODE_OPTIONS" }));
    const { stderr } = await appvars(
      ["--exec", "--", "sh", "-c", "echo started >&2"],
      await local(data),
    );
    expect(stderr).toMatch(/^appvars: left out NODE_OPTIONS: [^\n]*\nstarted\n$/);
  });

  it("run --exec leaves a program signals with their default action, and stdio that blocks", async () => {
    const files = ["status", "fdinfo/0", "fdinfo/1", "fdinfo/2"].map(
      (name) => `/proc/self/${name}`,
    );
    const command = `grep -hE '^(SigBlk|SigIgn|flags)' ${files.join(" ")}`;
    // A shell's pipes: the pipes that Node makes are sockets.
    const pipeline = `sleep 0.1 | "$NODE" "$BINARY" run --exec -- ${command} 2>&1 | cat`;
    const { stdout } = await run("sh", ["-c", pipeline], {
      ...(await local()),
      NODE: process.execPath,
      BINARY,
    });
    const [blocked, ignored, ...flags] = stdout.split("\n").map((line) => line.split("\t")[1]);
    expect([blocked, ignored]).toEqual(["0".repeat(16), "0".repeat(16)]);
    const O_NONBLOCK = 0o4000;
    expect(flags.slice(0, 3).map((each = "") => Number.parseInt(each, 8) & O_NONBLOCK)).toEqual([
      0, 0, 0,
    ]);
  });

  it("run --exec leaves a program no descriptor, neither of the connection nor of the cache", async () => {
    const { url } = await runningServer();
    const home = await temporaryFolder();
    const list = ["sh", "-c", "ls /proc/$$/fd"];
    // Some may be inherited by the tests.
    const { stdout: inherited } = await run(process.execPath, ["-e", SPAWN_REST, ...list]);
    const { stdout } = await appvars(["--exec", "--cache", "--", ...list], {
      HOME: home,
      APPVARS_URL: url,
      ...CREDENTIALS,
    });
    expect(stdout).toBe(inherited);
  });

  it("run --exec looks the program up in the PATH that it gets", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "tool"), "#!/bin/sh\necho found\n", { mode: 0o755 });
    const data = edited((copy) => {
      copy.variables[1].name = "PATH";
      copy.values[1].content.value = `${folder}:/usr/bin:/bin`;
    });
    const { stdout } = await appvars(
      ["--exec", "--allow-reserved", "PATH", "--", "tool"],
      await local(data),
    );
    expect(stdout).toBe("found\n");
  });

  it.each([
    ["a missing command", "no-such-command"],
    ["no name", ""],
    ["a missing file", "./no/such/file"],
    ["a path through a file", "DIR/denied/x"],
    ["a file that is not executable", "DIR/denied"],
    ["a folder", "DIR/folder"],
    ["a script without #!", "DIR/plain"],
    ["a binary for another machine", "DIR/foreign"],
    ["a binary that is cut off", "DIR/cut-off"],
    ["a binary without program headers", "DIR/object"],
    ["a name with =", "DIR/a=b"],
    ["a missing file with a = in its name", "DIR/b=a"],
  ])("run --exec reports the same as run for %s", async (_program, name) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "folder"));
    await writeFile(join(folder, "denied"), "", { mode: 0o600 });
    await writeFile(join(folder, "plain"), 'echo "$PORT $1"; exit 3\n', { mode: 0o700 });
    await writeFile(join(folder, "foreign"), "\x7fELF\x02\x01\x01\0\n)", { mode: 0o700 });
    await writeFile(join(folder, "cut-off"), await elfHeader(), { mode: 0o700 });
    await writeFile(join(folder, "object"), (await elfHeader()).fill(0, E_PHNUM, E_PHNUM + 2), {
      mode: 0o700,
    });
    await writeFile(join(folder, "a=b"), '#!/bin/sh\necho "$0 $1"; exit 3\n', { mode: 0o700 });
    const env = await local();
    const words = ["--", name.replace("DIR", folder), "word"];
    const finished = await appvars(words, env);
    expect(finished.code).not.toBe(0);
    expect(await appvars(["--exec", ...words], env)).toEqual(finished);
  });

  it("run --exec ends as run does when only the system knows that the program can't be started", async () => {
    const program = join(await temporaryFolder(), "busy");
    await copyFile("/bin/sleep", program);
    const writer = await open(program, "r+");
    onTestFinished(() => writer.close());
    const env = await local();
    const finished = await appvars(["--", program, "0"], env);
    expect(finished).toEqual({
      code: 126,
      stdout: "",
      stderr: `appvars: ${program} can't be started (ETXTBSY)\n`,
    });
    const { code, stderr } = await appvars(["--exec", "--", program, "0"], env);
    expect([code, stderr]).toEqual([126, expect.stringMatching(/^env: .*busy.*\n$/)]);
  });

  it("run --exec ends as run does for a script with a missing interpreter", async () => {
    const script = join(await temporaryFolder(), "script");
    await writeFile(script, "#!/no/such/interpreter\n", { mode: 0o700 });
    const env = await local();
    const { code, stderr } = await appvars(["--", script], env);
    expect([code, stderr]).toEqual([
      127,
      `appvars: ${script} can't be started: its interpreter or loader is missing\n`,
    ]);
    const replaced = await appvars(["--exec", "--", script], env);
    expect([replaced.code, replaced.stderr]).toEqual([
      127,
      expect.stringMatching(/^env: .*script.*\n$/),
    ]);
  });

  const AS_FIRST = ["--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const canBeFirst = spawnSync("unshare", [...AS_FIRST, "true"]).status === 0;

  it.skipIf(!canBeFirst)("run --exec makes the program process 1 of a container", async () => {
    const command = [
      process.execPath,
      BINARY,
      "run",
      "--exec",
      "--",
      "sh",
      "-c",
      "echo $$; cat /proc/1/comm",
    ];
    const { stdout } = await run("unshare", [...AS_FIRST, ...command], await local());
    expect(stdout).toBe("1\nsh\n");
  });
});
