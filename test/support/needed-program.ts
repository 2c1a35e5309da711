import { spawnSync } from "node:child_process";

/** Programs that tests start, and how to get them. */
const INSTALL = {
  etcd: "apt-get install etcd-server etcd-client",
  git: "apt-get install git",
  strace: "apt-get install strace",
};

export type NeededProgram = keyof typeof INSTALL;

/** Not every system lets one process trace another: then its tests are skipped on CI too. */
const OPTIONAL: readonly NeededProgram[] = ["strace"];

declare module "vitest" {
  interface TaskMeta {
    /** The program that the test could not run without. */
    missing?: string;
  }
}

const installed = new Map<NeededProgram, boolean>();

/**
 * Options of `describe` or `it` for tests that start a program. Where it is missing they are
 * skipped, and the last lines of the run say so; on CI they fail.
 */
export function needs(program: NeededProgram): { skip?: true; meta?: { missing: string } } {
  const isRequired = process.env["CI"] === "true" && !OPTIONAL.includes(program);
  if (isInstalled(program) || isRequired) return {};
  return { skip: true, meta: { missing: missing(program) } };
}

export function isInstalled(program: NeededProgram): boolean {
  const known = installed.get(program);
  if (known !== undefined) return known;
  const args = program === "strace" ? ["-o", "/dev/null", "true"] : ["--version"];
  const isFound = spawnSync(program, args, { stdio: "ignore" }).status === 0;
  installed.set(program, isFound);
  return isFound;
}

export function missing(program: NeededProgram): string {
  return `${program} is missing: ${INSTALL[program]}`;
}
