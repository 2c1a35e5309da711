import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Difference, difference } from "./difference.js";
import { parseScript, type Script, STOP_SIGNALS, type Step } from "./parse-script.js";
import type { Output, Session, SessionOptions } from "./session.js";

const EXAMPLE = fileURLToPath(new URL("../../../data/example.json", import.meta.url));

export interface CheckOptions {
  /** Path of the script, for messages. */
  file: string;
  open: (options: SessionOptions) => Session | Promise<Session>;
  /** Seconds after which everything is killed. */
  timeout?: number;
}

export interface Checked {
  /** The differences from the expected output, for people; empty if there are none. */
  problems: string[];
  /** The script with the actual output in place of the expected one. */
  rewritten: string;
}

/**
 * Runs a script of the form that test/scripts/README.md describes.
 *
 * @throws ScriptError; Error when the shell is gone before the last command has ended
 */
export async function checkScript(
  text: string,
  { file, open, timeout = 50 }: CheckOptions,
): Promise<Checked> {
  const script = parseScript(text);
  const root = await realpath(await mkdtemp(join(tmpdir(), "appvars-script-")));
  try {
    const { outputs, end } = await play(
      await openSession(script, root, open),
      script.steps,
      timeout,
    );
    const done = script.steps.slice(0, outputs.length);
    const differences = outputs.map((output, i) =>
      difference(done[i]?.expected ?? [], output, join(root, "work")),
    );
    const problems = done.flatMap((step, i) => describe(step, differences[i] as Difference, file));
    if (end) throw new Error([...problems, `${file}: ${end}`].join("\n\n"));
    return { problems, rewritten: rewrite(text, done, differences) };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Runs the steps in turn. `end` says why, if not all of them came to theirs. */
async function play(
  session: Session,
  steps: readonly Step[],
  timeout: number,
): Promise<{ outputs: Output[]; end?: string }> {
  const outputs: Output[] = [];
  let end: string | undefined;
  const timer = setTimeout(() => {
    end = `killed after ${timeout} s`;
    void session.close();
  }, timeout * 1000);
  try {
    for (const step of steps) {
      if (session.hasEnded) end ??= `the shell has ended before line ${step.line}`;
      if (end) break;
      outputs.push(await runStep(step, session));
    }
  } finally {
    clearTimeout(timer);
    await session.close();
  }
  return end ? { outputs, end } : { outputs };
}

function runStep({ kind, command }: Step, session: Session): Promise<Output> {
  if (kind === "run") return session.run(command);
  return kind === "start"
    ? session.start(command)
    : session.stop(STOP_SIGNALS[command] as NodeJS.Signals);
}

/** A session in a new folder with the script's files and the example data. */
async function openSession(
  { files }: Script,
  root: string,
  open: CheckOptions["open"],
): Promise<Session> {
  const [work = "", home = "", spare = ""] = ["work", "home", "spare"].map((name) =>
    join(root, name),
  );
  for (const folder of [work, home, spare]) await mkdir(folder);
  await writeFile(join(work, "example.json"), await readFile(EXAMPLE), { mode: 0o600 });
  for (const [name, content] of files) {
    await mkdir(dirname(join(work, name)), { recursive: true });
    await writeFile(join(work, name), content, { mode: 0o600 });
  }
  return open({ folder: work, spare, env: { HOME: home, LC_ALL: "C.UTF-8" } });
}

function describe(step: Step, { isSame, shown }: Difference, file: string): string[] {
  return isSame ? [] : [`${file}:${step.line}: ${step.command}\n${shown.join("\n")}`];
}

function rewrite(text: string, steps: readonly Step[], differences: readonly Difference[]): string {
  const lines = text.split("\n");
  // From the last to the first: each replacement moves the lines after it.
  for (const [i, { bodyStart, expected }] of [...steps.entries()].reverse()) {
    lines.splice(bodyStart, expected.length, ...(differences[i]?.lines ?? []));
  }
  return lines.join("\n");
}
