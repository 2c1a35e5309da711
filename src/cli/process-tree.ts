import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { platform } from "node:os";
import type { Schedule } from "./schedule.js";

/** A process of this system; one that has ended and was only not waited for by its parent is none. */
export interface Process {
  pid: number;
  parent: number;
  /** When it was started: tells it from a later one with the same id. */
  started: string;
}

/** What a program has started, what that has started, and so on; also after their parents have ended. */
export interface Descendants {
  signal(name: NodeJS.Signals): void;
  areGone(): boolean;
}

/** How long a program, or what it has started, may take to end before it is killed. */
export const GRACE_MS = 10_000;

const POLL_MS = 50;

/**
 * Ends what a program that has ended has left running, and resolves once none is left. Not before: a program that
 * passes on its signals would make two of one.
 */
export async function endRest(rest: Descendants, schedule: Schedule): Promise<void> {
  rest.signal("SIGTERM");
  const callOffKill = schedule(() => rest.signal("SIGKILL"), GRACE_MS);
  await untilGone(rest, schedule);
  callOffKill();
}

/** They are not our children: nothing but looking tells of their end. */
async function untilGone(descendants: Descendants, schedule: Schedule): Promise<void> {
  while (!descendants.areGone()) await new Promise<void>((resolve) => schedule(resolve, POLL_MS));
}

/**
 * Takes in the descendants that a process has now; later looks find those that came to these, and to it. One that we
 * may not signal, which runs as another user, is not counted.
 *
 * @param root id of the process; without one there is nothing
 */
export function descendantsOf(root: number | undefined, list: () => Process[] = listProcesses): Descendants {
  let family: Process[] = [];
  const look = () => {
    const processes = list();
    family = familyOf(family, processes);
    return family.filter(({ pid }) => pid !== root && sendSignal(pid, 0));
  };
  const first = list();
  family = familyOf(
    first.filter(({ pid }) => pid === root),
    first,
  );
  return {
    signal(name) {
      for (const { pid } of look()) sendSignal(pid, name);
    },
    areGone: () => look().length === 0,
  };
}

/** Those of the members that are still among the processes, and their descendants. */
function familyOf(members: readonly Process[], processes: readonly Process[]): Process[] {
  const family = new Map<number, Process>();
  const add = (member: Process) => {
    if (family.has(member.pid)) return;
    family.set(member.pid, member);
    for (const child of processes) if (child.parent === member.pid) add(child);
  };
  for (const process of processes) if (members.some((member) => isSame(member, process))) add(process);
  return [...family.values()];
}

function isSame(a: Process, b: Process): boolean {
  return a.pid === b.pid && a.started === b.started;
}

function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** The processes that run; none where the system doesn't tell. */
export function listProcesses(): Process[] {
  try {
    return platform() === "linux" ? readProc() : readPs();
  } catch {
    return [];
  }
}

/** Slim images of Linux have no ps(1). */
function readProc(): Process[] {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    const fields = readStat(id);
    return fields ? withoutZombie(Number(id), Number(fields[1]), fields[0], fields[19]) : [];
  });
}

/** The fields of proc_pid_stat(5) from the third on: a name in parentheses, which may hold some itself, is before. */
function readStat(id: string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined; // It has ended since.
  }
}

export function readPs(): Process[] {
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,lstart="], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return [...text.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/gm)].flatMap(([, pid, parent, state, started]) =>
    withoutZombie(Number(pid), Number(parent), state, started),
  );
}

function withoutZombie(pid: number, parent: number, state = "", started = ""): Process[] {
  return /^[ZX]/.test(state) ? [] : [{ pid, parent, started }];
}
