import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { constants } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { EXIT_CODES } from "../../src/cli/output/report-error.js";
import { serve } from "../../src/library/local-server.js";
import { createFileSealing } from "../../src/store/bytes/data-text.js";
import type { FileSealing } from "../../src/store/bytes/file-sealing.js";
import type { Data } from "../../src/store/data.js";
import { historyPathOf, readFileHistory } from "../../src/store/file/file-history.js";
import { updateDataFile } from "../../src/store/file/update-data-file.js";
import { isSameData, type RecordedWrite } from "../../src/store/history.js";
import { parseData } from "../../src/store/schema/parse-data.js";
import { BINARY, run } from "../support/binary.js";
import { type CliResult, runCli } from "../support/cli.js";
import { DATA, edited } from "../support/data.js";
import { type DataFile, dataFile, SEAL_KEY } from "../support/data-file.js";
import { get } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { leftBeside } from "./counting-file.js";
import { addRow, figure, since } from "./figure.js";
import { type AroundCall, type FsCall, withFsCalls } from "./fs-calls.js";
import { Stepper, World } from "./stepper.js";

// Each lane has its own file, and computes while the others wait for the file system.
const LANES = 4;
const ERRORS = QUICK
  ? ["EIO", "ENOENT"]
  : ["EIO", "ENOSPC", "EMFILE", "ENOMEM", "EACCES", "ENOENT"];
const TEXT = JSON.stringify(DATA);
const PORT_VALUE_ID = 12;
const ENV = ["--env", "shop/development"];
/** The error that says that the file was changed although the command failed. */
const NOT_DURABLE = "was written, but may be lost if the machine crashes now";

interface Fault {
  /** The call that fails, counted from 1; if the fault is permanent, all later calls fail too. */
  readonly at: number;
  readonly forGood: boolean;
  readonly error: string;
}

/** Makes calls about anything in a folder fail. */
class Faults {
  /** Undefined while all calls succeed. */
  fault: Fault | undefined;
  calls = 0;
  failed: FsCall | undefined;
  /** The names of the calls that have succeeded. */
  readonly succeeded: string[] = [];
  readonly #folder: string;

  constructor(folder: string, fault?: Fault) {
    this.#folder = folder;
    this.fault = fault;
  }

  readonly around: AroundCall = (call, proceed) => {
    if (!call.path.startsWith(this.#folder)) return proceed();
    this.calls++;
    if (
      !this.fault ||
      this.calls < this.fault.at ||
      (this.calls > this.fault.at && !this.fault.forGood)
    ) {
      this.succeeded.push(call.name);
      return proceed();
    }
    this.failed ??= call;
    // The descriptor is closed even if the call fails.
    if (call.name.startsWith("close")) void proceed();
    const { error } = this.fault;
    const { [error]: errno = 0 } = constants.errno as Record<string, number>;
    throw Object.assign(new Error(`${error}: made to fail`), {
      code: error,
      errno: -errno,
      syscall: call.name,
    });
  };
}

interface Count {
  tries: number;
  lost: number;
  torn: number;
  refused: number;
  /** Each failure, with its fault. */
  failures: string[];
}

type Fail = (failure: string, kind?: "lost" | "torn") => void;
type Check = (file: DataFile, fault: Fault, fail: Fail) => Promise<boolean>;

it("a command that reads prints the value, or says why it can't", async () => {
  const read = (file: DataFile, faults: Faults) =>
    command(faults, ["get", "PORT", "--data", file.path, ...ENV]);
  await eachFault("reading", await callsOf(read), async (file, fault, fail) => {
    const faults = new Faults(dirname(file.path), fault);
    const { code, stdout, stderr } = await read(file, faults);
    if (code === 0 ? stdout !== "3000\n" : stdout !== "")
      fail(`exit code ${code} after ${JSON.stringify(stdout)}`);
    checkMessage(code, stderr, fail);
    return code !== 0;
  });
});

it("a command that writes has written, or says why it can't", async () => {
  const write = (file: DataFile, faults: Faults) =>
    command(faults, ["set", "PORT", "9", "--data", file.path, ...ENV]);
  await eachFault("writing", await callsOf(write), async (file, fault, fail) => {
    const faults = new Faults(dirname(file.path), fault);
    const { code, stderr } = await write(file, faults);
    await checkWritten(file, code, stderr, fail);
    if (code === 0) {
      const order = faults.succeeded.filter((name) =>
        ["sync", "rename", "renameSync"].includes(name),
      );
      // The first rename is that of the lock. Once the new data is on disk, the history comes: an
      // entry, or a new file. If the data file can't be compared then, all of that is done again.
      if (!/^rename(,sync.*)?,sync,(sync|sync,renameSync,sync),renameSync,sync$/.test(order.join()))
        fail(`acknowledged after ${order}`, "lost");
    }
    const left = await leftBeside(file.path);
    const wasRemoval = ["unlink", "rm", "rmdir"].includes(faults.failed?.name ?? "");
    if (left.length > 0 && !fault.forGood && !wasRemoval) fail(`left behind: ${left.join()}`);
    await checkNextWriter(file, fail);
    return code !== 0;
  });
});

it("a command that seals a file and its history can be run again, whatever has failed", async () => {
  const { path: keyFile } = await dataFile(SEAL_KEY);
  const seal = (file: DataFile, faults: Faults) =>
    command(faults, ["seal", file.path, "--seal-key-file", keyFile]);
  await eachFault("sealing", await callsOf(seal), async (file, fault, fail) => {
    const before = await historyOf(file.path);
    const { code, stderr } = await seal(file, new Faults(dirname(file.path), fault));
    if (code !== 0 && code !== EXIT_CODES.invalid_data)
      fail(`exit code ${code} and ${JSON.stringify(stderr)}`);
    const again = await restarted(() => runCli(["seal", file.path, "--seal-key-file", keyFile]));
    if (again.code !== 0) fail(`sealed again: ${again.stderr}`);
    const { data, history } = await historyOf(file.path, await createFileSealing(SEAL_KEY));
    if (!isSameData(data, DATA)) fail("other data", "lost");
    if (history !== before.history) fail("another history", "lost");
    const written =
      (await readFile(file.path, "utf8")) + (await readFile(historyPathOf(file.path), "utf8"));
    if (/postgres|"dev-secret"/.test(written)) fail("a secret in clear");
    await runCli(["unseal", file.path, "--seal-key-file", keyFile]);
    return code !== 0;
  });
});

/** The result of another process, started after a restart of the machine. */
async function restarted<T>(work: () => Promise<T>): Promise<T> {
  let result: T | undefined;
  const next = new Stepper("next", new World({ isRestarted: true }), async () => {
    result = await work();
  });
  while (!next.outcome) await next.go();
  if (next.outcome.error) throw next.outcome.error;
  return result as T;
}

async function historyOf(
  path: string,
  sealing?: FileSealing,
): Promise<{ data: Data; history: string }> {
  await updateDataFile(path, (data) => data, { sealing });
  const { data, writes } = await readFileHistory(path, sealing);
  const all: RecordedWrite[] = [];
  for await (const change of writes) all.push(change);
  return { data, history: JSON.stringify(all) };
}

it("a command whose own system calls fail does its work, or says why it can't", async ({
  skip,
}) => {
  const obstacle = await promisify(execFile)("strace", [
    "-qq",
    "-e",
    "inject=fsync:error=EIO",
    "true",
  ]).then(
    () => undefined,
    (error: Error) => `strace can't be used here: ${error.message}`,
  );
  if (obstacle !== undefined) figure(`system calls that fail: skipped, ${obstacle}`);
  skip(obstacle !== undefined, obstacle);
  const start = performance.now();
  const count = newCount();
  const queue = SYSTEM_CALLS.values();
  const lane = async () => {
    const file = await dataFile(TEXT);
    for (const call of queue) await eachSystemCall(call, file, count);
  };
  await Promise.all(Array.from({ length: 2 }, lane));
  report(
    "a system call fails, writing",
    "writing, each of some system calls fails once, and for good",
    count,
    start,
  );
});

/**
 * Those of a writing command, and whether only those about the file, its folder and its lock: Node
 * makes others.
 */
const SYSTEM_CALLS: readonly (readonly [name: string, aboutTheFile: boolean])[] = [
  ["fsync", false],
  ["fchmod", false],
  ["/^rename", false],
  ["/^mkdir", false],
  ["/^unlink", false],
  ["rmdir", false],
  ["/^getdents", false],
  ["openat", true],
  ["statx", true],
  ["read", true],
  ["close", true],
  ["/^readlink", true],
];

async function eachSystemCall(
  [call, aboutTheFile]: readonly [string, boolean],
  file: DataFile,
  count: Count,
) {
  const log = `${file.path}.log`;
  const paths = aboutTheFile
    ? [file.path, dirname(file.path), `${file.path}.lock`].flatMap((path) => ["-P", path])
    : [];
  const command = [process.execPath, BINARY, "set", "PORT", "9", "--data", file.path, ...ENV];
  for (let at = 1; ; at++) {
    for (const when of QUICK ? [`${at}`] : [`${at}`, `${at}+`]) {
      await file.write(TEXT);
      const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:error=EIO:when=${when}`];
      // It counts the calls of each thread.
      const env = { UV_THREADPOOL_SIZE: "1" };
      const { code, stderr } = await run(
        "strace",
        ["-f", "-qq", "-o", log, ...inject, ...paths, ...command],
        env,
      );
      const wasHit = (await readFile(log, "utf8")).includes("(INJECTED)");
      await rm(log);
      if (!wasHit) return;
      const fail = failer(count, { call, when });
      await checkWritten(file, code, stderr, fail);
      await checkNextWriter(file, fail);
      if (code !== 0) count.refused++;
      count.tries++;
    }
  }
}

it("a server serves the last good data while it can't reload, and the new data as soon as it can", async () => {
  const next = edited((data) => (data.values[0].content.value = 9));
  const served = async (port: number) =>
    (await get({ port }, "/v1/variables-values-by-name/PORT/content")).body;
  const healthy = async (port: number) => (await get({ port }, "/healthz", {})).status === 200;
  let slowest = 0;

  const reload = async (file: DataFile, faults: Faults, fault: Fault | undefined, fail: Fail) => {
    const server = await withFsCalls(faults.around, () =>
      serve({ data: file.path, port: 0, rateLimit: 0 }),
    );
    try {
      faults.calls = 0;
      faults.fault = fault;
      await file.write(next);
      let told = false;
      const isOver = async () => {
        const body = await served(server.port);
        told ||= !(await healthy(server.port));
        if (!['{"value":3000}', '{"value":9}'].includes(body)) fail(`served ${body}`);
        return body === '{"value":9}' || (fault?.forGood && told);
      };
      await expect.poll(isOver, { timeout: 10_000, interval: 5 }).toBe(true);
      const start = performance.now();
      faults.fault = undefined;
      const isRecovered = async () =>
        (await served(server.port)) === '{"value":9}' && (await healthy(server.port));
      await expect.poll(isRecovered, { timeout: 10_000, interval: 5 }).toBe(true);
      slowest = Math.max(slowest, performance.now() - start);
      return told;
    } finally {
      await server.close();
    }
  };
  const calls = await callsOf((file, faults) => reload(file, faults, undefined, () => {}));
  await eachFault("reloading", calls, async (file, fault, fail) => {
    const faults = new Faults(dirname(file.path));
    return reload(file, faults, fault, fail).catch((error: Error) => {
      fail(error.message);
      return false;
    });
  });
  figure(`reloading: recovered ${Math.round(slowest)} ms after the fault at the latest`);
});

/**
 * Tries `check`, which resolves to whether the work was refused, with each fault of so many calls.
 */
async function eachFault(title: string, calls: number, check: Check): Promise<void> {
  const start = performance.now();
  const faults = Array.from({ length: calls }, (_, index) => index + 1).flatMap((at) =>
    [false, true].flatMap((forGood) => ERRORS.map((error): Fault => ({ at, forGood, error }))),
  );
  const count = newCount();
  const queue = faults.values();
  const lane = async () => {
    const file = await dataFile(TEXT);
    for (const fault of queue) {
      await file.write(TEXT);
      if (await check(file, fault, failer(count, fault))) count.refused++;
      count.tries++;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  report(
    `a call fails, ${title}`,
    `${title}, each of ${calls} file-system calls fails once, and for good`,
    count,
    start,
  );
}

function newCount(): Count {
  return { tries: 0, lost: 0, torn: 0, refused: 0, failures: [] };
}

function failer(count: Count, fault: object): Fail {
  return (failure, kind) => {
    if (kind) count[kind]++;
    count.failures.push(`${JSON.stringify(fault)}: ${failure}`);
  };
}

function report(test: string, title: string, { failures, ...counted }: Count, start: number): void {
  addRow({ test, ...counted });
  const { tries, refused, lost, torn } = counted;
  figure(
    `${title}: ${grouped(tries)} tries, ${grouped(refused)} refused, ${lost} lost, ${torn} torn (${since(start)})`,
  );
  expect(failures.slice(0, 20)).toStrictEqual([]);
}

/** The number of calls that the work makes without a fault. */
async function callsOf(
  work: (file: DataFile, faults: Faults) => Promise<unknown>,
): Promise<number> {
  const file = await dataFile(TEXT);
  const faults = new Faults(dirname(file.path));
  // Modules are loaded by other calls, which should not be among those that fail.
  await work(file, faults);
  await file.write(TEXT);
  faults.calls = 0;
  await work(file, faults);
  return faults.calls;
}

/** Runs a command whose timers fire immediately. */
async function command(faults: Faults, argv: readonly string[]): Promise<CliResult> {
  let result: CliResult | undefined;
  const process = new Stepper("command", new World(), async () => {
    result = await withFsCalls(faults.around, () => runCli(argv));
  });
  while (!process.outcome) await process.go();
  if (!result) throw process.outcome.error;
  return result;
}

function checkMessage(code: number | null, stderr: string, fail: Fail): void {
  const isTold = code === EXIT_CODES.invalid_data && /^appvars: [^\n]+\n$/.test(stderr);
  const isSilent = code === 0 && stderr === "";
  if (!isTold && !isSilent) fail(`exit code ${code} and ${JSON.stringify(stderr)}`);
}

/**
 * The file has the new value after exit code 0, and is as it was otherwise, unless the message says
 * so.
 */
async function checkWritten(
  file: DataFile,
  code: number | null,
  stderr: string,
  fail: Fail,
): Promise<void> {
  checkMessage(code, stderr, fail);
  const text = await readFile(file.path, "utf8");
  const data = await parseData(Buffer.from(text)).catch((error: Error) =>
    fail(error.message, "torn"),
  );
  const isWritten = data?.values.find(({ id }) => id === PORT_VALUE_ID)?.content.value === 9;
  const { writes } = await readFileHistory(file.path);
  const newest = (await writes[Symbol.asyncIterator]().next()).value?.command;
  if ((newest === "set") !== isWritten) fail(`the history ends with ${newest}`, "torn");
  if (code === 0) {
    if (!isWritten) fail("acknowledged, and not there", "lost");
  } else if (stderr.includes(NOT_DURABLE) ? !isWritten : text !== TEXT) {
    fail(`the file is ${text === TEXT ? "the same" : "another"} after ${JSON.stringify(stderr)}`);
  }
}

/** Checks that another process can write, and removes all files left behind. */
async function checkNextWriter({ path }: DataFile, fail: Fail): Promise<void> {
  const world = new World({ isRestarted: true });
  const description = "written by the next";
  const next = new Stepper("next", world, () =>
    updateDataFile(path, (data) => ({
      ...data,
      variables: data.variables.map((variable) => ({ ...variable, description })),
    })),
  );
  await next.go();
  if (next.outcome?.error || !next.outcome)
    fail(`the next writer: ${next.outcome?.error?.stack ?? "waits"}`);
  const left = await leftBeside(path);
  if (left.length > 0) fail(`left behind by the next writer: ${left.join()}`);
}
