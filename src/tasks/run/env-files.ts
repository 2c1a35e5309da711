import { lstatSync } from "node:fs";
import { READERS } from "../../formats/formats.js";
import { statIfExists } from "../../kit/files/system-errors.js";
import { variableKey } from "../../kit/process/program.js";
import { decodeUtf8 } from "../../kit/text/decode-utf8.js";
import { withSubject } from "../../kit/text/errors.js";
import { describeFile, type NamedFile, readNamedFile } from "../files/named-file.js";
import { fileRisk } from "../files/safe-files.js";
import type { Caller } from "../surroundings.js";
import type { ChildVariable, FileVariables } from "./child-environment.js";

/**
 * Warns of files that other users can change. Returns a function that reads the
 * files at each call, but pipes only once.
 */
export function envFileReader(
  files: readonly NamedFile[],
  { surroundings, warn }: Caller,
): () => Promise<FileVariables> {
  for (const path of new Set(files.map(({ text }) => text))) {
    const risk = fileRisk(path, surroundings);
    if (risk) warn(risk.message);
  }
  let fromPipes: FileVariables | undefined;
  return async () => {
    // A project may name a personal file that not everybody has.
    const present = files.filter(
      ({ text, origin }) => origin !== "project" || statIfExists(text, lstatSync),
    );
    const variables = fromPipes ?? (await readEnvFiles(present, surroundings.platform));
    if (present.some(({ text }) => statIfExists(text)?.isFile() === false)) fromPipes = variables;
    return variables;
  };
}

/** If several files set the same name, the last one wins. */
async function readEnvFiles(
  files: readonly NamedFile[],
  platform: NodeJS.Platform,
): Promise<FileVariables> {
  const variables = new Map<string, ChildVariable>();
  const read = await READERS.dotenv();
  for (const file of files) {
    const from = describeFile(file);
    const text = decodeUtf8(await readNamedFile(file), `${from}: its content`);
    for (const { name, value } of withSubject(from, () => read(text)))
      variables.set(variableKey(name, platform), { name, value: String(value), isText: true });
  }
  return variables;
}
