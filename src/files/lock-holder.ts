import { createHash, randomBytes } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { kill, pid as ownPid } from "node:process";
import { readProcessStat } from "./process-stat.js";
import { hasCode } from "./system-errors.js";

/**
 * The name of the one file in a lock: 8 random bytes in hex and, where the system reports it, the holder:
 * `RANDOM-HOST-PID-START-NAME`. Unlike a file's content, a name is never seen half-written.
 */
const TOKEN =
  /^[0-9a-f]{16}(?:-(?<host>[0-9a-f]{16})-(?<pid>[1-9]\d{0,6})-(?<startedAt>\d{1,20})-(?<name>[\w.-]{1,64}))?$/;

/** Identifies a process; no two processes ever share it. */
interface Holder {
  /** From {@link identifyHost}. */
  readonly host: string;
  readonly pid: number;
  /** Clock ticks between boot and its start, because process ids are reused. */
  readonly startedAt: string;
  /** Of the host, for people. */
  readonly hostName: string;
}

/** `unknown` is a process that can't be seen from here. */
export type HolderState = "running" | "stopped" | "dead" | "unknown";

export async function createToken(): Promise<string> {
  const random = randomBytes(8).toString("hex");
  const host = await identifyHost();
  const process = readProcessStat("self");
  // If /proc is of another process namespace, its ids are not ours.
  if (host === undefined || process?.pid !== ownPid) return random;
  const name = hostname().replace(/[^\w.-]/g, "-");
  return [random, host, ownPid, process.startedAt, name.slice(0, 64) || "unknown"].join("-");
}

export function isToken(name: string): boolean {
  return TOKEN.test(name);
}

/** Who created this token; undefined when it does not say. */
export function holderOf(token: string): Holder | undefined {
  const { host, pid, startedAt, name } = TOKEN.exec(token)?.groups ?? {};
  if (host === undefined || startedAt === undefined || name === undefined) return undefined;
  return { host, pid: Number(pid), startedAt, hostName: name };
}

/**
 * Stays the same as long as a process id and a start time identify one process: one boot of a machine, and one
 * container on it. Undefined where the system does not tell, such as outside Linux.
 */
export async function identifyHost(): Promise<string | undefined> {
  try {
    const parts = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "latin1"),
      readlink("/proc/self/ns/pid"),
      // Start times depend on the reader's time namespace (Linux 5.6).
      readlink("/proc/self/ns/time").catch(() => ""),
    ]);
    const hash = createHash("sha256").update([hostname(), ...parts].join("\0"));
    return hash.digest("hex").slice(0, 16);
  } catch {
    return undefined;
  }
}

/** @param host from {@link identifyHost} */
export async function stateOf(holder: Holder | undefined, host: string | undefined): Promise<HolderState> {
  if (holder === undefined || holder.host !== host) return "unknown";
  if (!exists(holder.pid)) return "dead";
  const process = readProcessStat(holder.pid);
  // /proc may be mounted so that it hides other users' processes.
  if (process === undefined) return exists(holder.pid) ? "running" : "dead";
  if (process.startedAt !== holder.startedAt || "ZX".includes(process.state)) return "dead";
  return "Tt".includes(process.state) ? "stopped" : "running";
}

/** `process 4242, which is stopped`. @param host from {@link identifyHost} */
export function describeHolder(holder: Holder | undefined, host?: string, state?: HolderState): string {
  if (holder === undefined) return "an unknown process";
  if (holder.host !== host) return `process ${holder.pid} on ${holder.hostName}`;
  return `process ${holder.pid}${state === "stopped" ? ", which is stopped" : ""}`;
}

/** Signal 0 is never delivered: the system only reports whether it could be. */
function exists(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch (error) {
    // EPERM: the process is another user's.
    return !hasCode(error, "ESRCH");
  }
}
