import { readFileSync } from "node:fs";

/** Of the clock of `/proc`, on every Linux. */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU time that a process has used so far. */
export function cpuSeconds(pid: number): number {
  // The second field, the name of the program, may contain anything.
  const [, fields = ""] = /^.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) / TICKS_PER_SECOND;
}
