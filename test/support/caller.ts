import type { Caller, Surroundings } from "../../src/tasks/surroundings.js";

/** The caller of a task: the user of this process, with an empty environment and no stdin. */
export function aCaller(
  surroundings: Partial<Surroundings> = {},
  messages: Partial<Caller> = {},
): Caller {
  return {
    surroundings: {
      env: {},
      cwd: () => "/nowhere",
      folders: { config: "/dev/null/config", cache: "/dev/null/cache" },
      platform: process.platform,
      user: process.getuid?.(),
      groups: process.getgroups?.() ?? [],
      clock: Date.now,
      ticks: () => performance.now(),
      readStdin: async () => Buffer.from(""),
      ...surroundings,
    },
    note: () => {},
    warn: () => {},
    tell: () => {},
    progress: () => {},
    ...messages,
  };
}
