import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { kill, pid as ownPid } from "node:process";
import { readProcessStat } from "../process/process-stat.js";
import { hasCode } from "./system-errors.js";

/**
 * `RANDOM-PLACE-PID-START-HOST`: the process that made something, in a name, which is never seen
 * half-written.
 */
const TOKEN =
  /^[0-9a-f]{16}-(?<boot>[0-9a-f]{8})(?<space>[0-9a-f]{8})-(?<pid>[1-9]\d{0,9})-(?<startedAt>\d{1,20})-(?<host>[\w.-]{1,64})$/;

/** How far the clock may have been set since the boot. */
const CLOCK_MARGIN_MS = 60_000;

export interface Holder {
  /**
   * `unknown`: a process of another host or container, or one whose start time is hidden, so its id
   * may be reused.
   */
  readonly state: "alive" | "dead" | "unknown";
  /** `process 4242 on web-1`. */
  readonly text: string;
}

/** A new token for each call. */
export function createToken(): string {
  const { boot, space, host } = here();
  const stat = readProcessStat("self");
  // /proc may belong to another process namespace.
  const startedAt = stat?.pid === ownPid ? stat.startedAt : 0;
  return [randomBytes(8).toString("hex"), boot + space, ownPid, startedAt, host].join("-");
}

/**
 * The process that made a token; undefined for another name.
 *
 * @param madeAt Unix time of the token in milliseconds. If it is before the boot, the process has
 *   ended
 */
export function holderOf(token: string, madeAt = Number.POSITIVE_INFINITY): Holder | undefined {
  const { boot, space, pid, startedAt, host } = TOKEN.exec(token)?.groups ?? {};
  if (pid === undefined) return undefined;
  const own = here();
  // After another boot, its process has ended.
  const isElsewhere = host !== own.host || (boot === own.boot && space !== own.space);
  if (isElsewhere) return { state: "unknown", text: `process ${pid} on ${host}` };
  const state = boot === own.boot ? stateOf(Number(pid), startedAt, madeAt) : "dead";
  return { state, text: `process ${pid}` };
}

function stateOf(pid: number, startedAt: string | undefined, madeAt: number): Holder["state"] {
  if (!exists(pid)) return "dead";
  const stat = readProcessStat(pid);
  // Hidden, as other users' processes may be, or a system without /proc.
  if (stat === undefined || startedAt === "0")
    return madeAt < Date.now() - uptime() * 1_000 - CLOCK_MARGIN_MS ? "dead" : "unknown";
  // Process ids are reused.
  return stat.startedAt === startedAt && !"ZX".includes(stat.state) ? "alive" : "dead";
}

/** What makes a process id and a start time unique. Outside Linux, only the host is known. */
function here() {
  let [boot, space] = ["", ""];
  try {
    space = readlinkSync("/proc/self/ns/pid");
    boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
  } catch {}
  const host = hostname()
    .replace(/[^\w.-]/g, "-")
    .slice(0, 64);
  return { boot: hash(boot), space: hash(space), host: host || "unknown" };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
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
