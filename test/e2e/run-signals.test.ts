import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { readProcessStat } from "../../src/kit/process/this-process.js";
import { BINARY, isRunning } from "../support/binary.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";

/**
 * All that Linux has and Node can catch, but for those that a process gets for what it does itself.
 */
const NAMES =
  "TERM INT HUP QUIT USR2 ALRM VTALRM TTIN TTOU WINCH URG IO PWR XCPU SYS TRAP ABRT STKFLT"
    .split(" ")
    .map((name) => `SIG${name}` as NodeJS.Signals);

/**
 * Counts the signals that it hears, says which, and on SIGUSR1 says how many there were and ends.
 */
const COUNTING = `
  const heard = {};
  for (const name of ${JSON.stringify(NAMES)}) {
    heard[name] = 0;
    process.on(name, () => { heard[name]++; console.log("heard", name); });
  }
  process.on("SIGUSR1", () => { console.log(JSON.stringify(heard)); process.exit(7); });
  setInterval(() => {}, 1000);
  console.log("ready", process.pid);`;

const COUNTER = [process.execPath, "-e", COUNTING];

interface Started {
  child: ChildProcess;
  /** Resolves to the exit code of appvars. */
  exitCode: Promise<number | null>;
  /** Resolves to the next line that the program prints. */
  line(): Promise<string>;
}

/** Starts appvars without a terminal, in a process group of its own, as a supervisor does. */
async function startedInGroup(words: readonly string[]): Promise<Started> {
  const { path } = await dataFile(DATA);
  const env = {
    PATH: process.env["PATH"],
    HOME: "/dev/null",
    APPVARS_DATA: path,
    APPVARS_ENV: "shop/development",
  };
  const child = spawn(process.execPath, [BINARY, ...words], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exitCode = once(child, "exit").then(([code]) => code);
  const lines = createInterface(child.stdout as Readable)[Symbol.asyncIterator]();
  const line = async () => (await lines.next()).value ?? "";
  return { child, exitCode, line };
}

/** The same with a program that counts its signals. */
async function counting(words: readonly string[]) {
  const started = await startedInGroup([...words, ...COUNTER]);
  const [, pid] = (await started.line()).split(" ");
  onTestFinished(() => void (isRunning(Number(pid)) && process.kill(Number(pid), "SIGKILL")));
  const group = -Number(started.child.pid);
  return { ...started, pid: Number(pid), group };
}

function hasPendingSignals(pid: number): boolean {
  return !/^ShdPnd:\s*0+$/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
}

// Only Linux says which signals are pending.
describe.skipIf(process.platform !== "linux")("a signal to the process group of appvars", () => {
  it.each([
    ["run", ["run", "--"]],
    ["run --watch", ["run", "--watch", "--"]],
    ["run --redact", ["run", "--redact", "--"]],
    ["sandbox", ["sandbox", "--"]],
  ])("reaches the program under %s once", async (_name, words) => {
    const { child, exitCode, pid, group, line } = await counting(words);
    for (const name of NAMES) {
      // While appvars is stopped, the program may hear only signals that are sent to it as well.
      // SIGCONT drops SIGTT*.
      const isKept = !name.startsWith("SIGTT");
      if (isKept) {
        child.kill("SIGSTOP");
        await expect
          .poll(() => readProcessStat(Number(child.pid))?.state, { interval: 1 })
          .toBe("T");
      }
      process.kill(group, name);
      await expect.poll(() => hasPendingSignals(pid), { interval: 1 }).toBe(false);
      if (isKept) child.kill("SIGCONT");
      expect(await line()).toBe(`heard ${name}`);
    }
    process.kill(pid, "SIGUSR1");
    expect(JSON.parse(await line())).toEqual(Object.fromEntries(NAMES.map((name) => [name, 1])));
    expect(await exitCode).toBe(7);
  });

  it("reaches the programs of a shell under run, even if it ends the shell", async () => {
    const { child, exitCode, line } = await startedInGroup([
      "run",
      "--",
      "sh",
      "-c",
      '"$0" "$@"; true',
      ...COUNTER,
    ]);
    const [, pid] = (await line()).split(" ");
    onTestFinished(() => void (isRunning(Number(pid)) && process.kill(Number(pid), "SIGKILL")));
    process.kill(-Number(child.pid), "SIGTERM");
    expect(await line()).toBe("heard SIGTERM");
    expect(await exitCode).toBe(143);
    process.kill(Number(pid), "SIGUSR1");
    expect(JSON.parse(await line())).toMatchObject({ SIGTERM: 1 });
  });
});
