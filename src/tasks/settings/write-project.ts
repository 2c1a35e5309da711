import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createFile } from "../../kit/files/durable-file.js";
import { hasCode } from "../../kit/files/system-errors.js";
import { absolutePath, type Caller, isFolderGone } from "../surroundings.js";
import { allowProject } from "./allow-project.js";
import { PROJECT_FILE } from "./project-file.js";
import type { Settings } from "./resolve-settings.js";

/**
 * The path of a JSON Schema for editors, relative to a folder in which appvars
 * is installed.
 */
export function installedSchema(folder: string, name: string): string | undefined {
  const path = `./node_modules/appvars/data/${name}`;
  return existsSync(join(folder, path)) ? path : undefined;
}

/**
 * Makes commands in the current folder use a new file in it, unless it has a
 * `.appvars.json`.
 */
export async function writeProject(
  path: string,
  env: string,
  settings: Settings,
  { surroundings, note }: Caller,
): Promise<void> {
  try {
    if (dirname(absolutePath(path, surroundings)) !== surroundings.cwd()) return;
  } catch (error) {
    if (isFolderGone(error)) return;
    throw error;
  }
  const $schema = installedSchema(surroundings.cwd(), "appvars.settings.schema.json");
  const text = `${JSON.stringify({ $schema, data: basename(path), env })}\n`;
  const file = { path: join(surroundings.cwd(), PROJECT_FILE), bytes: Buffer.from(text) };
  try {
    await createFile(file.path, text);
    // The written content, even if it has changed since.
    await allowProject(file, surroundings);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return note(`${PROJECT_FILE} already exists and was not changed`);
    await rm(file.path, { force: true });
    return note(`no ${PROJECT_FILE} was created: ${(error as Error).message}`);
  }
  const use = `${basename(path)}, environment ${env}`;
  note(`created ${PROJECT_FILE}: commands in this folder use ${use}`);
  const other = settings
    .findAll("url", "env")
    .find(({ text, origin }) => origin === "variable" && ![path, env].includes(text));
  if (other) note(`${other.from} is set, and overrides ${PROJECT_FILE}`);
}
