import { spawn } from "node:child_process";
import { rmSync, type Stats } from "node:fs";
import { lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pid } from "node:process";
import { makePrivate } from "../../kit/files/durable-file.js";
import { toInvalidFile } from "../../kit/files/system-errors.js";
import { loadWindowsSupport, prepareCommand } from "../../kit/process/child.js";
import { createToken, findProcess } from "../../kit/process/process-token.js";
import { descendantsOf, endDescendants } from "../../kit/process/process-tree.js";
import type { ProgramLine } from "../../kit/process/program.js";
import { decodeUtf8 } from "../../kit/text/decode-utf8.js";
import { UsageError } from "../../kit/text/errors.js";
import { isVariableName } from "../../model/variable.js";
import { withoutCredentials } from "../../tasks/run/child-environment.js";
import type { Surroundings } from "../../tasks/surroundings.js";
import type { OpenInEditor } from "../state/ports.js";
import type { ProcessTerminal } from "./process-terminal.js";

/** Words that a shell would leave unchanged. */
const WORDS = /^[\w@+:,./\s-]+$/;

/**
 * The command that opens a file in the user's text editor: `VISUAL`, `EDITOR`,
 * or an editor that every system has.
 */
export function editorCommand(
  file: string,
  platform: NodeJS.Platform,
  env: Surroundings["env"],
): ProgramLine {
  const isWindows = platform === "win32";
  const named = [env["VISUAL"], env["EDITOR"]].find(
    (text) => text !== undefined && text.trim() !== "",
  );
  const text = named ?? (isWindows ? "notepad" : "vi");
  if (!isWindows && !WORDS.test(text)) return ["sh", "-c", `${text} "$@"`, "sh", file];
  // A path with spaces must be quoted: "C:\Program
  // Files\Notepad++\notepad++.exe" -multiInst
  const words = Array.from(
    text.matchAll(/"([^"]*)"|([^\s"]+)/g),
    ([, quoted, word]) => quoted ?? word ?? "",
  );
  const [program = text, ...args] = words;
  return [program, ...args, file];
}

/**
 * Runs an editor on the terminal of this process, and ends it if this process
 * has to stop. Resolves to why the editor failed.
 */
async function runEditor(
  line: ProgramLine,
  { platform, env: own }: EditorIo,
  untilStopped: Promise<void>,
) {
  const env = withoutCredentials(own);
  const { command, args, ...forWindows } = prepareCommand(
    line,
    env,
    await loadWindowsSupport(platform),
  );
  const child = spawn(command, args, { ...forWindows, stdio: "inherit", env });
  const ended = new Promise<string | undefined>((resolve) => {
    child.once("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(`can't be started (${code ?? "unknown error"})`),
    );
    child.once("exit", (code, signal) => {
      resolve(code === 0 ? undefined : signal ? `was killed by ${signal}` : `exited with ${code}`);
    });
  });
  const isStopped = await Promise.race([ended.then(() => false), untilStopped.then(() => true)]);
  // Ends all descendants, since a shell may have started the editor.
  if (isStopped) await endDescendants(descendantsOf(pid));
  const failure = await ended;
  return failure && `${command === "sh" ? "the editor" : command} ${failure}`;
}

type EditorIo = Pick<Surroundings, "env" | "platform" | "user">;

/**
 * Returns a function that opens a string in the user's own editor, which takes
 * over the terminal.
 */
export function createOpenInEditor(
  terminal: Pick<ProcessTerminal, "lend" | "onExit">,
  io: EditorIo,
): OpenInEditor {
  // Best first: `/dev/shm` is in memory, so that the secret is never written to
  // a disk.
  const parents = ["/dev/shm", tmpdir()];
  const removingLeft = removeLeftScratchFolders(parents, io.user);
  return async (text, { name, isJson }) => {
    await removingLeft;
    const folder = await makeScratchFolder(parents, io.user);
    const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    // Also remove the folder if the process crashes, or a second signal ends
    // it.
    const release = terminal.onExit(remove);
    try {
      // Editors choose colors by the extension, and show the file name, which
      // has at most 255 bytes.
      const stem = isVariableName(name) ? name.slice(0, 200) : "value";
      const path = join(folder, `${stem}.${isJson ? "json" : "txt"}`);
      // Most editors add a final line feed anyway. It is not part of the value.
      await writeFile(path, `${text}\n`, { mode: 0o600 });
      const line = editorCommand(path, io.platform, io.env);
      const failure = await terminal.lend((untilStopped) => runEditor(line, io, untilStopped));
      if (failure !== undefined) throw new UsageError(`${failure}: ${name} is unchanged`);
      return await readText(path, text);
    } finally {
      release();
      remove();
    }
  };
}

const WHAT = "the file from the editor";

/** @throws UsageError, InvalidDataError. Neither quotes the text */
async function readText(path: string, before: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw toInvalidFile(WHAT, error, "can't be read");
  });
  // Some editors add a byte order mark. One that was there before is part of
  // the value.
  const text = decodeUtf8(bytes, WHAT, { ignoreBOM: before.startsWith("\ufeff") });
  return text.replace(before.endsWith("\r") ? /\n$/ : /\r?\n$/, "");
}

/**
 * The prefix of a folder name. The token of the process that made the folder
 * follows.
 */
const PREFIX = "appvars-edit-";

/**
 * Makes a private folder in the first parent folder that allows it.
 *
 * @throws InvalidDataError
 */
export async function makeScratchFolder(
  parents: readonly string[],
  user: number | undefined,
): Promise<string> {
  const name = PREFIX + createToken();
  let failure: unknown;
  for (const parent of parents) {
    const path = join(parent, name);
    try {
      await mkdir(path, { mode: 0o700 });
      await makePrivate(path, user);
      return path;
    } catch (error) {
      failure = toInvalidFile(path, error, "can't be created");
    }
  }
  throw failure;
}

/** Removes folders of processes that were killed before they could remove them. */
export async function removeLeftScratchFolders(
  parents: readonly string[],
  user: number | undefined,
): Promise<void> {
  for (const parent of parents) {
    for (const name of await readdir(parent).catch(() => [])) {
      if (!name.startsWith(PREFIX)) continue;
      const path = join(parent, name);
      const stats = await lstat(path).catch(() => undefined);
      const isDead = findProcess(name.slice(PREFIX.length))?.state === "dead";
      if (isDead && stats && isPrivate(stats, user))
        await rm(path, { recursive: true, force: true }).catch(() => {});
    }
  }
}

/**
 * Whether the path is a folder, not a link to one, that only this user can
 * access.
 */
function isPrivate(stats: Stats, user: number | undefined): boolean {
  if (!stats.isDirectory()) return false;
  return user === undefined || (stats.uid === user && (stats.mode & 0o777) === 0o700);
}
