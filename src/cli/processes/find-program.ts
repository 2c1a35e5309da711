import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { candidatesFor } from "./child.js";

/** A file that can be executed, or the system's error code for it. */
export type FoundProgram = { file: string } | { code: string };

/** Errors after which execvp(3) looks in the next folder. */
const CONTINUE = ["ENOENT", "ENOTDIR", "ESTALE", "ENODEV", "ETIMEDOUT"];

/**
 * The file that execvp(3) would execute. Finds out only the usual reasons why that would fail: files that are missing or
 * not executable, and scripts whose interpreter is.
 *
 * @param path the PATH of the new program; undefined for the system's own
 */
export function findProgram(command: string, path?: string): FoundProgram {
  if (command.includes("/")) return inspect(command);
  let code = "ENOENT";
  for (const file of candidatesFor(command, path)) {
    const found = inspect(file);
    if ("file" in found || !["EACCES", ...CONTINUE].includes(found.code)) return found;
    if (found.code === "EACCES") code = found.code;
  }
  return { code };
}

function inspect(file: string): FoundProgram {
  try {
    accessSync(file, constants.X_OK);
    if (!statSync(file).isFile()) return { code: "EACCES" };
    const interpreter = interpreterOf(file);
    if (interpreter !== undefined) accessSync(interpreter, constants.X_OK);
    return { file };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? "EIO" };
  }
}

/** Bytes that Linux reads to tell the format of a file (BINPRM_BUF_SIZE). */
const HEAD_BYTES = 256;

/** The program that a script names in its first line; undefined for other files. */
function interpreterOf(file: string): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch {
    // Only a binary can be executed by those who may not read it.
    return undefined;
  }
  try {
    readSync(fd, head);
  } finally {
    closeSync(fd);
  }
  const interpreter = /^#![ \t]*([^ \t\n\0]+)/.exec(head.toString("latin1"))?.[1];
  return interpreter && Buffer.from(interpreter, "latin1").toString();
}
