import { lstatSync } from "node:fs";
import { READERS } from "../../formats/formats.js";
import { statIfExists } from "../../kit/files/system-errors.js";
import { variableKey } from "../../kit/process/program.js";
import { decodeUtf8 } from "../../kit/text/decode-utf8.js";
import { withSubject } from "../../kit/text/errors.js";
import { describeFile, type NamedFile, readNamedFile } from "../named-file.js";
import { describeRisk, fileRisk } from "../safe-files.js";
import type { Caller } from "../surroundings.js";
import type { ChildVariable, ChildVariables, VariableRules } from "./child-variables.js";
import { isLeftOut } from "./left-out.js";

type ReadVariables = (rules: VariableRules) => Promise<ChildVariables>;

/**
 * Warns of files that another user can change, and returns a function that adds their values to
 * those of the environment. They take precedence, have no prefix, and are not subject to `--only`.
 * The function reads the files each time, and throws a UsageError that names a file that can't be
 * read.
 */
export function addEnvFiles(files: readonly NamedFile[], { surroundings, warn }: Caller) {
  const { platform } = surroundings;
  for (const path of new Set(files.map(({ text }) => text))) {
    const risk = fileRisk(path, surroundings);
    if (risk) warn(describeRisk(path, risk));
  }
  let fromPipes: Map<string, ChildVariable> | undefined;
  return async (rules: VariableRules, readOthers: ReadVariables): Promise<ChildVariables> => {
    // A project may name a personal file that not everybody has.
    const present = files.filter(
      ({ text, place }) => place !== "project" || statIfExists(text, lstatSync),
    );
    const entries = fromPipes ?? (await readEnvFiles(present, platform));
    // A pipe can be read only once.
    if (present.some(isPipe)) fromPipes = entries;
    const isInFile = (name: string) => entries.has(variableKey(name, platform));
    const others = await readOthers({
      ...rules,
      isTaken: (name) => isInFile(name) || rules.isTaken(name),
    });
    const own = [...entries.values()];
    const free = own.filter(({ name }) => !rules.isTaken(name));
    const isOut = ({ name }: ChildVariable) => isLeftOut(name, rules.allowReserved);
    const passed = free.filter((entry) => !isOut(entry));
    return {
      variables: [...others.variables, ...passed],
      leftOut: [...others.leftOut, ...free.filter(isOut).map(({ name }) => name)],
      taken: [...new Set([...others.taken, ...own.map(({ name }) => name)])].filter(rules.isTaken),
    };
  };
}

/**
 * Reads dotenv files. If several set the same name, the last one wins.
 *
 * @returns the entries by the `variableKey` of their names
 * @throws UsageError that names a file that can't be read, and never quotes it
 */
async function readEnvFiles(
  files: readonly NamedFile[],
  platform: NodeJS.Platform,
): Promise<Map<string, ChildVariable>> {
  const entries = new Map<string, ChildVariable>();
  const read = await READERS.dotenv();
  for (const file of files) {
    const from = describeFile(file);
    const text = decodeUtf8(await readNamedFile(file), `${from}: its content`);
    for (const { name, value } of withSubject(from, () => read(text))) {
      entries.set(variableKey(name, platform), { name, value: String(value), isText: true });
    }
  }
  return entries;
}

function isPipe({ text }: NamedFile): boolean {
  return statIfExists(text)?.isFile() === false;
}
