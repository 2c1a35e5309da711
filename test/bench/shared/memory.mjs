import { readFileSync } from "node:fs";

/** Resident memory of a process in MB (10^6 bytes), now and at its highest. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024) / 1e6;
  return { now: megabytes("VmRSS"), peak: megabytes("VmHWM") };
}
