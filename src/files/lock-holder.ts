import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { kill, pid as ownPid } from "node:process";
import { readProcessStat } from "./process-stat.js";
import { hasCode } from "./system-errors.js";

/** `RANDOM-PLACE-PID-START-HOST`: the process that made something, in a name, which is never seen half-written. */
const TOKEN =
  /^[0-9a-f]{16}-(?<boot>[0-9a-f]{8})(?<space>[0-9a-f]{8})-(?<pid>[1-9]\d{0,9})-(?<startedAt>\d{1,20})-(?<host>[\w.-]{1,64})$/;

export interface Holder {
  /** `elsewhere` is another host or container, whose processes can't be seen. */
  readonly state: "alive" | "dead" | "elsewhere";
  /** `process 4242 on web-1`. */
  readonly text: string;
}

/** Another one at each call. */
export function createToken(): string {
  const { boot, space, host } = here();
  const stat = readProcessStat("self");
  // If /proc is of another process namespace, its ids are not ours.
  const startedAt = stat?.pid === ownPid ? stat.startedAt : 0;
  return [randomBytes(8).toString("hex"), boot + space, ownPid, startedAt, host].join("-");
}

/** The process that made a token; undefined for another name. */
export function holderOf(token: string): Holder | undefined {
  const { boot, space, pid, startedAt, host } = TOKEN.exec(token)?.groups ?? {};
  if (pid === undefined) return undefined;
  const own = here();
  // Another boot: before the machine started again.
  const isElsewhere = host !== own.host || (boot === own.boot && space !== own.space);
  if (isElsewhere) return { state: "elsewhere", text: `process ${pid} on ${host}` };
  const isAlive = boot === own.boot && isRunning(Number(pid), startedAt);
  return { state: isAlive ? "alive" : "dead", text: `process ${pid}` };
}

function isRunning(pid: number, startedAt: string | undefined): boolean {
  if (!exists(pid)) return false;
  const stat = readProcessStat(pid);
  // Hidden, as other users' processes may be, or a system without /proc.
  if (stat === undefined || startedAt === "0") return true;
  // Process ids are reused.
  return stat.startedAt === startedAt && !"ZX".includes(stat.state);
}

/** While these stay the same, a process id and a start time identify one process. Outside Linux, only the host is known. */
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
