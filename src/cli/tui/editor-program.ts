import { type ChildProcess, spawn } from "node:child_process";
import { loadWindows, prepared } from "../children/child.js";
import { type ProgramLine, withoutCredentials } from "../children/child-environment.js";
import { descendantsOf, endDescendants, GRACE_MS } from "../children/process-tree.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Words that a shell would not interpret. */
const WORDS = /^[\w@+:,./\s-]+$/;

/** The command that opens the person's text editor on a file: `VISUAL`, `EDITOR`, or one that every system has. */
export function editorCommand(file: string, platform: NodeJS.Platform, env: Env): ProgramLine {
  const isWindows = platform === "win32";
  const named = [env["VISUAL"], env["EDITOR"]].find((text) => text !== undefined && text.trim() !== "");
  const text = named ?? (isWindows ? "notepad" : "vi");
  if (!isWindows && !WORDS.test(text)) return ["sh", "-c", `${text} "$@"`, "sh", file];
  // A path with spaces is in quotes: "C:\Program Files\Notepad++\notepad++.exe" -multiInst
  const words = Array.from(text.matchAll(/"([^"]*)"|([^\s"]+)/g), ([, quoted, word]) => quoted ?? word ?? "");
  const [program = text, ...args] = words;
  return [program, ...args, file];
}

interface EditorOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Env;
  /** Resolves when the editor is to be ended. */
  readonly untilStopped: Promise<void>;
}

/**
 * Runs the person's text editor on this process's terminal. Resolves to why it failed, to follow its name: `exited with
 * 1`; undefined if it ended normally.
 */
export async function runEditor(file: string, options: EditorOptions): Promise<string | undefined> {
  const command = editorCommand(file, options.platform, options.env);
  const child = await startEditor(command, options);
  // If this process ends first: an editor without its file is of no use, and the terminal is the shell's then.
  const kill = () => {
    descendantsOf(child.pid).signal("SIGKILL");
    child.kill("SIGKILL");
  };
  process.on("exit", kill);
  const ended = failureOf(child);
  const isStopped = await Promise.race([ended.then(() => false), options.untilStopped.then(() => true)]);
  if (isStopped) await endEditor(child, ended);
  process.off("exit", kill);
  const failure = await ended;
  return failure && `${command[0] === "sh" ? "the editor" : command[0]} ${failure}`;
}

async function startEditor(line: ProgramLine, { platform, env: own }: EditorOptions): Promise<ChildProcess> {
  const env = withoutCredentials(own);
  const { command, args, ...forWindows } = prepared(line, env, await loadWindows(platform));
  return spawn(command, args, { ...forWindows, stdio: "inherit", env });
}

/** Resolves, when the program has ended, to why it failed; undefined if it did not. */
function failureOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once("error", ({ code }: NodeJS.ErrnoException) => resolve(`can't be started (${code ?? "unknown error"})`));
    child.once("exit", (code, signal) => {
      resolve(code === 0 ? undefined : signal ? `was ended by ${signal}` : `exited with ${code}`);
    });
  });
}

/** @param ended resolves when it has ended */
async function endEditor(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // Looked up before the end: a shell may have started the editor.
  const descendants = descendantsOf(child.pid);
  child.kill();
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await ended;
  clearTimeout(timer);
  await endDescendants(descendants);
}
