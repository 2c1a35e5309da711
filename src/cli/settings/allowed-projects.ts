import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Account, foreignWriter } from "../../files/owners.js";
import type { Io } from "../output/io.js";
import { readSettingsFile } from "./settings-file.js";

/** The `.appvars.json` that is there now: its path, without links, and its content. */
export interface ProjectContent {
  path: string;
  bytes: Buffer;
}

/** Whether the user has allowed a project's file; `changed` if they allowed another content of it. */
export type Permission = "allowed" | "changed" | "unknown";

/** The folder with an entry for each `.appvars.json` that the user has allowed. */
export function allowedFolder({ folders }: Pick<Io, "folders">): string {
  return join(folders.config, "allowed");
}

/** Path of the entry for the file at `path`. There is one for each file, so that a new one replaces the old one. */
export function entryPath(path: string, io: Pick<Io, "folders">): string {
  return join(allowedFolder(io), sha256(path));
}

/** The content of an entry, in the format of `sha256sum`. */
export function entryText({ path, bytes }: ProjectContent): string {
  return `${sha256(bytes)}  ${path}\n`;
}

/** Never throws: an entry that can't be read, or that another user may have written, allows nothing. */
export function permissionFor(content: ProjectContent, io: Account & Pick<Io, "folders">): Permission {
  try {
    const entry = readSettingsFile(entryPath(content.path, io));
    if (!entry || foreignWriter(entry.stats, io)) return "unknown";
    return entry.bytes.toString("utf8") === entryText(content) ? "allowed" : "changed";
  } catch {
    return "unknown";
  }
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
