import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../domain/errors.js";
import { isVariableName } from "../../domain/variable.js";
import { decodeUtf8 } from "../../files/decode-utf8.js";
import { readRegularFile } from "../../files/open-file.js";
import { makeScratchFolder, removeLeftScratchFolders, scratchParents } from "../../files/scratch-folder.js";
import { hasCode, toInvalidFile } from "../../files/system-errors.js";
import type { EditText } from "../../tui/state/ports.js";
import { loadWindows, prepared } from "../children/child.js";
import { type ProgramLine, withoutCredentials } from "../children/child-environment.js";
import { descendantsOf, endDescendants, GRACE_MS } from "../children/process-tree.js";
import type { Io } from "../output/io.js";
import type { ProcessTerminal } from "./process-terminal.js";

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
async function runEditor(file: string, options: EditorOptions): Promise<string | undefined> {
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

/** Far more than a person edits; the form that shows the text again takes it as well. */
const MAX_BYTES = 16 * 1_048_576;

/** A file name has at most 255 bytes. */
const MAX_NAME = 64;

type EditorIo = Pick<Io, "env" | "platform" | "user">;

/** Opens texts in the person's own editor, which gets the terminal meanwhile. */
export function createEditText(terminal: Pick<ProcessTerminal, "lend">, io: EditorIo): EditText {
  const { env, platform, user } = io;
  const parents = scratchParents(tmpdir());
  const folders = new Set<string>();
  // If the process crashes, or a second signal ends it.
  process.on("exit", () => folders.forEach(removeFolder));
  const removingLeft = removeLeftScratchFolders(parents, user);
  return async (text, { name, isJson }) => {
    if (/\p{Surrogate}/u.test(text))
      throw new UsageError(`${name} contains half a surrogate pair, which no file can hold`);
    await removingLeft;
    const folder = await makeScratchFolder(parents, user);
    folders.add(folder);
    try {
      const path = join(folder, fileName(name, isJson));
      await writeText(path, text);
      const failure = await terminal.lend((untilStopped) => runEditor(path, { platform, env, untilStopped }));
      if (failure !== undefined) throw new UsageError(`${failure}: ${name} is unchanged`);
      return await readText(path, text, user);
    } finally {
      folders.delete(folder);
      removeOrTell(folder);
    }
  };
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Editors choose colors by the extension, and show the name. */
function fileName(name: string, isJson: boolean): string {
  const stem = isVariableName(name) ? name.slice(0, MAX_NAME) : "value";
  return `${stem}.${isJson ? "json" : "txt"}`;
}

/**
 * The file ends in one line feed that is not part of the value: most editors would add it to a file without one. That one
 * is left out again, so that every value comes back as it was.
 */
async function writeText(path: string, text: string): Promise<void> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      // Regardless of the umask.
      await file.chmod(0o600);
      await file.writeFile(`${text}\n`);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw toInvalidFile(path, error, "can't be written");
  }
}

const WHAT = "the file from the editor";

/** @throws UsageError, InvalidDataError; neither quotes the text */
async function readText(path: string, before: string, user: number | undefined): Promise<string> {
  const bytes = await readOwn(path, user).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) throw new UsageError(`${WHAT} is gone: nothing was changed`);
    if (hasCode(error, "ELOOP")) throw new UsageError(`${WHAT} is a link: nothing was changed`);
    throw error instanceof UsageError ? error : toInvalidFile(WHAT, error, "can't be read");
  });
  // Some editors begin a file with a byte order mark; one that was there before is part of the value.
  const text = decodeUtf8(bytes, WHAT, { ignoreBOM: before.startsWith("\ufeff") });
  return text.replace(before.endsWith("\r") ? /\n$/ : /\r?\n$/, "");
}

async function readOwn(path: string, user: number | undefined): Promise<Buffer> {
  const { bytes, stats } = await readRegularFile(path, MAX_BYTES, { followLinks: false });
  if (user === undefined || stats.uid === user) return bytes;
  throw new UsageError(`${WHAT} belongs to another user: nothing was changed`);
}

function removeOrTell(folder: string): void {
  try {
    removeFolder(folder);
  } catch (error) {
    throw toInvalidFile(folder, error, "holds the value and can't be removed");
  }
}
