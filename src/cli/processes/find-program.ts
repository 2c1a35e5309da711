import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter } from "node:path";

/** A file that can be executed, or the system's error code for it. */
export type FoundProgram =
  | {
      file: string;
      /** Whether the system is known to execute its format. If not, it may be a script without `#!`. */
      isKnownFormat: boolean;
    }
  | { code: string };

/** Errors after which execvp(3) looks in the next folder. */
const CONTINUE = ["ENOENT", "ENOTDIR", "ESTALE", "ENODEV", "ETIMEDOUT"];

/**
 * The file that execvp(3) would execute. Also finds out whether execve(2) would fail: before Node 26 that aborts the
 * process.
 *
 * @param path the PATH of the new program; undefined for the system's own
 */
export function findProgram(command: string, path = "/bin:/usr/bin"): FoundProgram {
  if (command === "") return { code: "ENOENT" };
  if (command.includes("/")) return inspect(command);
  let code = "ENOENT";
  for (const folder of path.split(delimiter)) {
    const found = inspect(`${folder || "."}/${command}`);
    if ("file" in found || !["EACCES", ...CONTINUE].includes(found.code)) return found;
    if (found.code === "EACCES") code = found.code;
  }
  return { code };
}

/** As many scripts as Linux lets interpret each other. */
const MAX_INTERPRETERS = 5;

function inspect(file: string, depth = 0): FoundProgram {
  if (depth > MAX_INTERPRETERS) return { code: "ELOOP" };
  let fd: number | undefined;
  try {
    accessSync(file, constants.X_OK);
    if (!statSync(file).isFile()) return { code: "EACCES" };
    fd = openToRead(file);
    // Only a binary can be executed by those who may not read it.
    if (fd === undefined) return { file, isKnownFormat: true };
    const head = readAt(fd, 0, HEAD_BYTES);
    const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(head.toString("latin1"))?.[1];
    if (interpreter !== undefined) return viaInterpreter(file, Buffer.from(interpreter, "latin1").toString(), depth);
    const loader = elfLoader(fd, head);
    if (loader) accessSync(loader, constants.X_OK);
    return { file, isKnownFormat: isNative(head) && loader !== "" };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? "EIO" };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function viaInterpreter(file: string, interpreter: string, depth: number): FoundProgram {
  const found = inspect(interpreter, depth + 1);
  return "file" in found ? { ...found, file } : found;
}

function openToRead(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch {
    return undefined;
  }
}

/** What Linux reads to tell the format of a file (BINPRM_BUF_SIZE). */
const HEAD_BYTES = 256;

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, position));
}

const ELF = "7f454c46";
const ELF_64_LITTLE_ENDIAN = "0201";
const ELF_HEADER_BYTES = 64;
const PT_INTERP = 3;
const MAX_PROGRAM_HEADERS = 65_536;

function isElf(head: Buffer): boolean {
  return head.length >= ELF_HEADER_BYTES && head.toString("hex", 0, 4) === ELF;
}

/**
 * The dynamic loader that an ELF file for 64-bit little-endian machines names; empty if the file is cut off (ELF-64 Object
 * File Format, 3 and 6).
 */
function elfLoader(fd: number, head: Buffer): string | undefined {
  if (!isElf(head) || head.toString("hex", 4, 6) !== ELF_64_LITTLE_ENDIAN) return undefined;
  const [size, count] = [head.readUInt16LE(54), head.readUInt16LE(56)];
  if (size < 56 || size * count > MAX_PROGRAM_HEADERS) return undefined;
  const table = readAt(fd, Number(head.readBigUInt64LE(32)), size * count);
  for (let entry = 0; entry + size <= table.length; entry += size) {
    if (table.readUInt32LE(entry) !== PT_INTERP) continue;
    const [offset, length] = [table.readBigUInt64LE(entry + 8), table.readBigUInt64LE(entry + 32)];
    const path = readAt(fd, Number(offset), Math.min(Number(length), 4_096)).toString();
    return path.replace(/\0.*$/s, "");
  }
  return undefined;
}

/** Binaries of macOS for one and for several kinds of processors (mach-o/loader.h, mach-o/fat.h). */
const MACH_O = ["cffaedfe", "cafebabe"];

/** Whether this is a binary for the machine that Node runs on, as Node's own is. */
function isNative(head: Buffer): boolean {
  const fd = openToRead(process.execPath);
  if (fd === undefined) return false;
  try {
    const own = readAt(fd, 0, HEAD_BYTES);
    if (!isElf(own)) return MACH_O.includes(head.toString("hex", 0, 4));
    const formatOf = (bytes: Buffer) => `${bytes.toString("hex", 4, 6)} ${bytes.toString("hex", 18, 20)}`;
    return isElf(head) && formatOf(head) === formatOf(own);
  } finally {
    closeSync(fd);
  }
}
