import { createHash } from "node:crypto";
import { lstatSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type InvalidDataError, UsageError } from "../../domain/errors.js";
import { isVariableName } from "../../domain/variable.js";
import { decodeUtf8 } from "../../files/decode-utf8.js";
import { readRegularFile } from "../../files/open-file.js";
import { makeScratchFolder, removeLeftScratchFolders, scratchParents } from "../../files/scratch-folder.js";
import { hasCode, toInvalidFile } from "../../files/system-errors.js";
import type { EditText } from "../../tui/state/ports.js";
import type { Io } from "../output/io.js";
import { runEditor } from "./editor-program.js";
import type { ProcessTerminal } from "./process-terminal.js";

/** Far more than a person edits; the form that shows the text again takes it as well. */
const MAX_BYTES = 16 * 1_048_576;

/** A file name has at most 255 bytes. */
const MAX_NAME = 64;

type EditorIo = Pick<Io, "env" | "platform" | "user">;

/** Opens texts in the person's own editor, which gets the terminal meanwhile. */
export function createEditText(terminal: Pick<ProcessTerminal, "lend">, io: EditorIo): EditText {
  const { env, platform, user } = io;
  const parents = scratchParents(tmpdir());
  const files = new Map<string, string>();
  // If the process crashes, a second signal ends it, or a file was kept.
  const removeAll = () => {
    for (const file of files.values()) removeFolder(dirname(file));
  };
  process.on("exit", removeAll);
  const removingLeft = removeLeftScratchFolders(parents, user);
  return async (text, { name, isJson }) => {
    if (/\p{Surrogate}/u.test(text))
      throw new UsageError(`${name} contains half a surrogate pair, which no file can hold`);
    await removingLeft;
    // The same text of the same variable: the editor's last file, if it could not be read.
    const key = createHash("sha256")
      .update(JSON.stringify([name, isJson, text]))
      .digest("hex");
    let file = files.get(key);
    let isKept = false;
    try {
      if (file === undefined) {
        file = join(await makeScratchFolder(parents, user), fileName(name, isJson));
        files.set(key, file);
        await writeText(file, text);
      }
      const path = file;
      const failure = await terminal.lend((untilStopped) => runEditor(path, { platform, env, untilStopped }));
      if (failure !== undefined) throw new UsageError(`${failure}: ${name} is unchanged`);
      return await readText(file, text, user).catch((error: UsageError | InvalidDataError) => {
        isKept = lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
        throw isKept ? new UsageError(`${error.message}; edit it again to correct that`) : error;
      });
    } finally {
      if (file !== undefined && !isKept) {
        files.delete(key);
        removeOrTell(dirname(file));
      }
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
