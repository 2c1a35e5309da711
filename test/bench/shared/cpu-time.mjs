import { readdirSync, readFileSync } from "node:fs";

/** CPU time of all threads of a process and of its children so far, to the nanosecond. */
export function cpuSecondsOf(pid) {
  const family = readdirSync("/proc").filter(
    (name) => name === String(pid) || parentOf(name) === String(pid),
  );
  return family.flatMap(threadTimes).reduce((sum, seconds) => sum + seconds, 0);
}

function parentOf(pid) {
  if (!/^\d+$/.test(pid)) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Field 4; the name in parentheses, field 2, may contain spaces.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  } catch {
    // It has ended.
    return undefined;
  }
}

function threadTimes(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.map(
    (id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]) / 1e9,
  );
}
