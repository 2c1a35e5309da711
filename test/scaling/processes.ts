import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Timings } from "../../src/etcd/member-client.js";
import { type EtcdConnection, openEtcdStore } from "../../src/etcd/open-store.js";
import type { Data } from "../../src/store/data.js";
import { BINARY, type Finished, run, start } from "../support/binary.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const WRITER = fileURLToPath(new URL("writer.mjs", import.meta.url));

export interface Timed extends Finished {
  readonly milliseconds: number;
}

/** Runs a command of appvars in a process of its own. */
export async function appvars(...words: readonly string[]): Promise<Timed> {
  return timed(words);
}

/** The same, and the seconds of CPU time that it has used. */
export async function appvarsByCpu(
  ...words: readonly string[]
): Promise<Finished & { cpu: number }> {
  const script = '"$@"; code=$?; times; exit $code';
  const { stdout, ...finished } = await run("sh", [
    "-c",
    script,
    "sh",
    process.execPath,
    BINARY,
    ...words,
  ]);
  // The second line is about the commands of the shell: 0m1.20s 0m0.10s
  const [, ofCommands = ""] = stdout.trim().split("\n").slice(-2);
  const seconds = [...ofCommands.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, m, s]) => 60 * Number(m) + Number(s),
  );
  return { ...finished, stdout: "", cpu: seconds.reduce((sum, each) => sum + each, 0) };
}

/** The same with a clock that is ahead. */
export function appvarsAhead(milliseconds: number, ...words: readonly string[]): Promise<Timed> {
  const code = `const now = Date.now; Date.now = () => now() + ${milliseconds};`;
  return timed(words, ["--import", `data:text/javascript,${encodeURIComponent(code)}`]);
}

async function timed(words: readonly string[], nodeFlags: readonly string[] = []): Promise<Timed> {
  const startedAt = performance.now();
  const finished = await run(process.execPath, [...nodeFlags, BINARY, ...words]);
  return { ...finished, milliseconds: performance.now() - startedAt };
}

/** Sets a text in data of counters.ts. */
export function set(url: string, name: string, value: string): Promise<Timed> {
  return appvars("set", name, value, "--store", url, "--env", "default/test", "--quiet");
}

/** A file with new variables: PREFIX_0, PREFIX_1 and so on. @param text the value of each */
export async function importFile(
  prefix: string,
  count: number,
  text = () => "x".repeat(200),
): Promise<string> {
  const file = join(await temporaryFolder(), `${prefix}.json`);
  const contents = Array.from({ length: count }, (_, index) => [`${prefix}_${index}`, text()]);
  await writeFile(file, JSON.stringify(Object.fromEntries(contents)));
  return file;
}

/** All data of a store. */
export async function readNewest(access: EtcdConnection): Promise<Data> {
  const store = await openEtcdStore(access);
  await store.close();
  return store.data;
}

/** Starts a job of writer.mjs in a process of its own. */
export function startWriter(
  url: string,
  job: readonly (string | number)[],
  times: Partial<Timings> = {},
): {
  readonly child: ReturnType<typeof start>;
  readonly ended: Promise<{ code: number | null; stdout: string }>;
} {
  const child = start(process.execPath, [WRITER, url, ...job.map(String)], {
    TIMES: JSON.stringify(times),
  });
  let stdout = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.pipe(process.stderr, { end: false });
  const ended = new Promise<{ code: number | null; stdout: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, stdout }));
  });
  return { child, ended };
}

/** Keeps cores busy until the current test ends. */
export function keepBusy(loops: number): void {
  const children = Array.from({ length: loops }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
  });
}

/** The load of the machine, which figures that depend on the CPU need beside them. */
export function loadText(): string {
  return `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
}
