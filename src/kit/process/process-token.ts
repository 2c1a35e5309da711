import { hash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { kill, pid as ownPid } from "node:process";
import { readProcessStat } from "./this-process.js";

/**
 * `RANDOM-BOOTSPACE-PID-START-HOST` names a process. It is the name of a file,
 * so that no reader sees only a part of it.
 */
const TOKEN =
  /^[0-9a-f]{16}-(?<boot>[0-9a-f]{8})(?<space>[0-9a-f]{8})-(?<pid>[1-9]\d{0,9})-(?<startedAt>\d{1,20})-(?<host>[\w.-]{1,64})$/;

export interface NamedProcess {
  readonly token: string;
  /**
   * `unknown` on another host, in another container, or with a hidden start
   * time.
   */
  readonly state: "alive" | "dead" | "unknown";
  /** `process 4242 on web-1` */
  readonly text: string;
}

export function createToken(): string {
  const { boot, space, host } = hostIdentity();
  const stat = readProcessStat("self");
  // /proc may belong to another process namespace.
  const startedAt = stat?.pid === ownPid ? stat.startedAt : 0;
  return [randomBytes(8).toString("hex"), boot + space, ownPid, startedAt, host].join("-");
}

/** Returns the process that created a token; `undefined` for any other text. */
export function findProcess(token: string): NamedProcess | undefined {
  const { boot, space, pid, startedAt, host } = TOKEN.exec(token)?.groups ?? {};
  if (pid === undefined) return undefined;
  const own = hostIdentity();
  const isElsewhere = host !== own.host || (boot === own.boot && space !== own.space);
  if (isElsewhere) return { token, state: "unknown", text: `process ${pid} on ${host}` };
  // After another boot, the process has ended.
  const state = boot === own.boot ? stateOf(Number(pid), startedAt) : "dead";
  return { token, state, text: `process ${pid}` };
}

function stateOf(pid: number, startedAt: string | undefined): NamedProcess["state"] {
  if (!exists(pid)) return "dead";
  const stat = readProcessStat(pid);
  // Hidden, as other users' processes may be, or a system without /proc.
  if (stat === undefined || startedAt === "0") return "unknown";
  // Process ids are reused.
  return stat.startedAt === startedAt && !"ZX".includes(stat.state) ? "alive" : "dead";
}

/** Returns the host and, on Linux, hashes of the boot id and the pid namespace. */
function hostIdentity() {
  let [boot, space] = ["", ""];
  try {
    space = readlinkSync("/proc/self/ns/pid");
    boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
  } catch {}
  const host = hostname()
    .replace(/[^\w.-]/g, "-")
    .slice(0, 64);
  const [bootHash, spaceHash] = [hash("sha256", boot), hash("sha256", space)];
  return { boot: bootHash.slice(0, 8), space: spaceHash.slice(0, 8), host: host || "unknown" };
}

/**
 * Signal 0 is never delivered: the system only reports whether the process
 * exists.
 */
function exists(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch (error) {
    // EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
