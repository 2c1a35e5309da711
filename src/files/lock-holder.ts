import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { kill, pid as ownPid } from "node:process";
import { readProcessStat } from "./process-stat.js";
import { hasCode } from "./system-errors.js";

/** `RANDOM-PLACE-PID-START-HOST`: the process that made something, in a name, which is never seen half-written. */
const TOKEN =
  /^[0-9a-f]{16}-(?<boot>[0-9a-f]{8})(?<space>[0-9a-f]{8})-(?<pid>[1-9]\d{0,9})-(?<startedAt>\d{1,20})-(?<host>[\w.-]{1,64})$/;

/** `elsewhere` is another host or container, whose processes can't be seen. */
type HolderState = "running" | "stopped" | "dead" | "elsewhere";

export interface Holder {
  readonly state: HolderState;
  /** `process 4242, which is stopped` or `process 4242 on web-1`. */
  readonly text: string;
}

/** Another one at each call. */
export function createToken(): string {
  const { boot, space, host } = here();
  return [randomBytes(8).toString("hex"), boot + space, ownPid, startOf(ownPid) ?? 0, host].join("-");
}

/** The process that made a token; undefined for another name. */
export function holderOf(token: string): Holder | undefined {
  const { boot, space, pid, startedAt, host } = TOKEN.exec(token)?.groups ?? {};
  if (pid === undefined) return undefined;
  const own = here();
  if (host !== own.host) return { state: "elsewhere", text: `process ${pid} on ${host}` };
  // Before the machine started again.
  if (boot !== own.boot) return { state: "dead", text: `process ${pid}` };
  if (space !== own.space) return { state: "elsewhere", text: `process ${pid} in another container on ${host}` };
  const state = stateOf(Number(pid), startedAt);
  return { state, text: `process ${pid}${state === "stopped" ? ", which is stopped" : ""}` };
}

function stateOf(pid: number, startedAt: string | undefined): HolderState {
  if (!exists(pid)) return "dead";
  const stat = readProcessStat(pid);
  // Hidden, as other users' processes may be, or a system without /proc.
  if (stat === undefined || startedAt === "0") return "running";
  // Process ids are reused.
  if (stat.startedAt !== startedAt || "ZX".includes(stat.state)) return "dead";
  return "Tt".includes(stat.state) ? "stopped" : "running";
}

/** Clock ticks between the boot and its start. */
function startOf(pid: number): string | undefined {
  const stat = readProcessStat("self");
  // If /proc is of another process namespace, its ids are not ours.
  return stat?.pid === pid ? stat.startedAt : undefined;
}

/** While both stay the same, a process id and a start time identify one process. */
function here() {
  const boot = readFrom(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"));
  // Start times depend on the time namespace (Linux 5.6).
  const space = ["pid", "time"].map((name) => readFrom(() => readlinkSync(`/proc/self/ns/${name}`)));
  const host = hostname()
    .replace(/[^\w.-]/g, "-")
    .slice(0, 64);
  return { boot: hash(boot), space: hash(space.join("\0")), host: host || "unknown" };
}

/** `""` where the system does not tell, such as outside Linux. */
function readFrom(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
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
