import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { platform } from "node:os";
import { readProcessStat } from "./this-process.js";

export interface Process {
  pid: number;
  parent: number;
  /** The start time: a later process may have the same id. */
  startedAt: string;
}

/**
 * The processes that a program has started, directly or indirectly, even if
 * their parents have ended.
 */
export interface Descendants {
  signal(name: NodeJS.Signals): void;
  areGone(): boolean;
}

/** The time that a program has to end before it is killed, in milliseconds. */
export const GRACE_MS = 10_000;

const POLL_MS = 50;

/**
 * Ends a program's descendants after it: earlier, if it passed the signal on,
 * they would get it twice. Resolves once they are gone.
 */
export async function endDescendants(descendants: Descendants): Promise<void> {
  descendants.signal("SIGTERM");
  const timer = setTimeout(() => descendants.signal("SIGKILL"), GRACE_MS);
  // No event reports their end, since they are not children of this process.
  while (!descendants.areGone()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  clearTimeout(timer);
}

/**
 * Remembers the descendants of a process, and finds the processes that they
 * start later. Processes of another user, which can't be signaled, don't count.
 *
 * @param root the process id; without one, there are no descendants
 */
export function descendantsOf(
  root: number | undefined,
  list: () => Process[] = listProcesses,
): Descendants {
  const first = list();
  let family = familyOf(
    first.filter(({ pid }) => pid === root),
    first,
  );
  const update = () => {
    family = familyOf(family, list());
    return family.filter(({ pid }) => pid !== root && sendSignal(pid, 0));
  };
  return {
    signal(name) {
      for (const { pid } of update()) sendSignal(pid, name);
    },
    areGone: () => update().length === 0,
  };
}

/** Returns the members that are still running, and their descendants. */
function familyOf(members: readonly Process[], processes: readonly Process[]): Process[] {
  const family = new Set<Process>();
  const add = (member: Process) => {
    if (family.has(member)) return;
    family.add(member);
    for (const child of processes) if (child.parent === member.pid) add(child);
  };
  for (const process of processes)
    if (
      members.some(({ pid, startedAt }) => pid === process.pid && startedAt === process.startedAt)
    )
      add(process);
  return [...family];
}

function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Lists processes without zombies; none if the system can't. */
export function listProcesses(system: NodeJS.Platform = platform()): Process[] {
  if (system === "win32") return [];
  try {
    return system === "linux" ? readProc() : readPs();
  } catch {
    return [];
  }
}

/** Slim Linux images have no ps(1). */
function readProc(): Process[] {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    const stat = readProcessStat(Number(id));
    return stat && !isZombie(stat.state) ? [stat] : [];
  });
}

export function readPs(): Process[] {
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,lstart="], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return [...text.matchAll(/^ *(\d+) +(\d+) +(\S+) +(.*)$/gm)].flatMap(
    ([, pid, parent, state, startedAt = ""]) =>
      isZombie(state) ? [] : [{ pid: Number(pid), parent: Number(parent), startedAt }],
  );
}

function isZombie(state = ""): boolean {
  return /^[ZX]/.test(state);
}
