import { constants, fstatSync, openSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import type { Io } from "./output/io.js";
import { writeLines } from "./output/output.js";
import { endProcess, isTerminalClosed } from "./processes/end-process.js";
import { endBySignals } from "./processes/signals.js";
import { userFolders } from "./settings/user-folders.js";

/** The number of the signal, which Windows does not have. */
const SIGPIPE = 13;

/** This process as a command sees it. Streams are created when they are first used: stdin alone takes Node 2 ms. */
export function processIo(): Io {
  const { env, platform } = process;
  let stdout: Io["stdout"] | undefined;
  let stderr: Io["stderr"] | undefined;
  // Node would open its debugger, on a port that every user of the machine can reach, in a process that has secrets.
  process.on("SIGUSR1", () => {});
  if (process.pid === 1) endBySignals();
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      stdout ??= openStdout();
      return stdout;
    },
    get stderr() {
      stderr ??= openStderr();
      return stderr;
    },
    env,
    get cwd() {
      return process.cwd();
    },
    folders: userFolders(env, platform),
    platform,
    user: process.getuid?.(),
    groups: process.getgroups?.() ?? [],
    clock: Date.now,
    ticks: () => performance.now(),
    untilStopped,
    leaveUnread,
  };
}

/**
 * A reader that has read enough, such as `head`, closes the pipe. The command then ends as SIGPIPE would end it: without
 * a message, but not with 0, since it may not have finished its work.
 */
function openStdout(): Io["stdout"] {
  return process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Windows reports EOF.
    if (error.code === "EPIPE" || error.code === "EOF") endProcess(128 + SIGPIPE);
    writeLines(process.stderr, [`appvars: can't write to stdout (${error.code})`]);
    endProcess(1);
  });
}

/**
 * stderr, with a separate file description if it is a pipe and the system has Linux's /proc. Whether
 * writes block is a property of the description, which other processes share, and Node makes writes block each time it
 * starts a child. A reader that does not read would then stop a server. If nobody can read stderr, the command continues.
 */
function openStderr(): Io["stderr"] {
  return (reopen(2) ?? process.stderr).on("error", () => {});
}

function reopen(fd: number): Socket | undefined {
  const { O_WRONLY, O_NONBLOCK } = constants;
  try {
    // A regular file would be written from its start, and a socket can't be opened again.
    if (!fstatSync(fd).isFIFO()) return undefined;
    return new Socket({ fd: openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK), readable: false, writable: true });
  } catch {
    return undefined;
  }
}

/** Ctrl-Break is a signal of Windows alone. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGBREAK"] as const;

function untilStopped(phase: Parameters<Io["untilStopped"]>[0]): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      // Nothing is open yet, and its wait may take long.
      if (phase.isStarting) endProcess(0, true);
      resolve();
      // Another signal ends the process immediately.
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
      process.off("SIGHUP", onHangUp);
    };
    // Closing a terminal's window is meant to end its programs. The terminal is already closed by then.
    const onHangUp = () => {
      if (process.platform === "win32" || isTerminalClosed()) stop();
      else phase.reload();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    process.on("SIGHUP", onHangUp);
  });
}

const MAX_UNREAD_MS = 500;

function leaveUnread(): void {
  // The process ends before this, unless output is waiting for its reader.
  setTimeout(() => endProcess(Number(process.exitCode ?? 1)), MAX_UNREAD_MS).unref();
}

/** @param path relative to the folder of the package */
export function packageFile(path: string): URL {
  // From both src/cli and dist/cli.
  return new URL(`../../${path}`, import.meta.url);
}

export function packageVersion(): string {
  const text = readFileSync(packageFile("package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
