import { spawnSync } from "node:child_process";

/** Programs that tests start, and how to get them. */
const INSTALL = {
  etcd: "apt-get install etcd-server etcd-client",
  "redis-server": "apt-get install redis-server",
};

export type NeededProgram = keyof typeof INSTALL;

declare module "vitest" {
  interface TaskMeta {
    /** The program that the test could not run without. */
    missing?: string;
  }
}

const installed = new Map<NeededProgram, boolean>();

/**
 * Options of `describe` or `it` for tests that start a program. Where it is missing they are skipped, and the last
 * lines of the run say so; on CI they fail.
 */
export function needs(program: NeededProgram): { skip?: true; meta?: { missing: string } } {
  if (isInstalled(program) || process.env["CI"] === "true") return {};
  return { skip: true, meta: { missing: missing(program) } };
}

export function isInstalled(program: NeededProgram): boolean {
  const known = installed.get(program);
  if (known !== undefined) return known;
  const isFound = spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
  installed.set(program, isFound);
  return isFound;
}

export function missing(program: NeededProgram): string {
  return `${program} is missing: ${INSTALL[program]}`;
}
