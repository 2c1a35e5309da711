import { readFileSync } from "node:fs";

export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  /** `Z` or `X` once it has ended, `T` or `t` while it is stopped. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** The process group in the foreground of its terminal; -1 without a terminal. */
  readonly foregroundGroup: number;
  /** Clock ticks from the boot to its start: process ids are reused. */
  readonly startedAt: string;
}

/**
 * Reads proc_pid_stat(5). Undefined for a process that does not exist or is hidden, and on systems
 * without /proc.
 */
export function readProcessStat(pid: number | "self"): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program is in parentheses, and may contain spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent, group, , , foregroundGroup] = fields;
    return {
      pid: Number.parseInt(stat, 10),
      name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
      state,
      parent: Number(parent),
      group: Number(group),
      foregroundGroup: Number(foregroundGroup),
      startedAt: fields[19] ?? "",
    };
  } catch {
    return undefined;
  }
}
