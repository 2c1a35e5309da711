import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { kill, pid as ownPid } from "node:process";
import { readProcessStat } from "./this-process.js";

/**
 * `RANDOM-BOOTSPACE-PID-START-HOST` names a process. Since it is the name of a file, no reader sees
 * a part of it.
 */
const TOKEN =
  /^[0-9a-f]{16}-(?<boot>[0-9a-f]{8})(?<space>[0-9a-f]{8})-(?<pid>[1-9]\d{0,9})-(?<startedAt>\d{1,20})-(?<host>[\w.-]{1,64})$/;

export interface Holder {
  /** `unknown` if it is of another host or container, or its start time is hidden. */
  readonly state: "alive" | "dead" | "unknown";
  /** A name for messages, such as `process 4242 on web-1`. */
  readonly text: string;
}

export function createToken(): string {
  const { boot, space, host } = here();
  const stat = readProcessStat("self");
  // /proc may belong to another process namespace.
  const startedAt = stat?.pid === ownPid ? stat.startedAt : 0;
  return [randomBytes(8).toString("hex"), boot + space, ownPid, startedAt, host].join("-");
}

/** Returns the process that made a token; `undefined` for another name. */
export function holderOf(token: string): Holder | undefined {
  const { boot, space, pid, startedAt, host } = TOKEN.exec(token)?.groups ?? {};
  if (pid === undefined) return undefined;
  const own = here();
  // After another boot, its process has ended.
  const isElsewhere = host !== own.host || (boot === own.boot && space !== own.space);
  if (isElsewhere) return { state: "unknown", text: `process ${pid} on ${host}` };
  const state = boot === own.boot ? stateOf(Number(pid), startedAt) : "dead";
  return { state, text: `process ${pid}` };
}

function stateOf(pid: number, startedAt: string | undefined): Holder["state"] {
  if (!exists(pid)) return "dead";
  const stat = readProcessStat(pid);
  // Hidden, as other users' processes may be, or a system without /proc.
  if (stat === undefined || startedAt === "0") return "unknown";
  // Process ids are reused.
  return stat.startedAt === startedAt && !"ZX".includes(stat.state) ? "alive" : "dead";
}

/** The boot and process namespace of this process, which only Linux has, and its host. */
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
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
