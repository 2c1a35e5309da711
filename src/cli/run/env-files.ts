import { lstatSync } from "node:fs";
import { withSubject } from "../../domain/errors.js";
import { decodeUtf8 } from "../../files/decode-utf8.js";
import { statIfExists } from "../../files/system-errors.js";
import { READERS } from "../../formats/formats.js";
import { variableKey } from "../children/child-environment.js";
import { describeRisk, fileRisk } from "../editing/safe-files.js";
import type { Context } from "../output/context.js";
import type { FileSetting } from "../settings/connection.js";
import { readSettingFile } from "../settings/secret-files.js";
import type { ChildVariable, ChildVariables, VariableRules } from "./child-variables.js";
import { isLeftOut } from "./left-out.js";

/**
 * Adds the values in `--env-file` to those of the environment, which they take precedence over. They have no prefix, and
 * are not subject to `--only`. The files are read anew each time.
 *
 * @param readOthers reads the environment's variables
 * @throws UsageError that names a file that can't be read
 */
type AddEnvFiles = (
  rules: VariableRules,
  readOthers: (rules: VariableRules) => Promise<ChildVariables>,
) => Promise<ChildVariables>;

/** Warns of files that another user can change. */
export function addEnvFiles(files: readonly FileSetting[], { io, warn }: Context): AddEnvFiles {
  const { platform } = io;
  const checked = new Set<string>();
  let fromPipes: Map<string, ChildVariable> | undefined;
  return async (rules, readOthers) => {
    // Not everybody has the personal file that a project names.
    const present = files.filter(({ text, place }) => place !== "project" || statIfExists(text, lstatSync));
    for (const { text } of present) {
      const risk = checked.has(text) ? undefined : fileRisk(text, io);
      if (risk) warn(describeRisk(text, risk));
      checked.add(text);
    }
    const entries = fromPipes ?? (await readEnvFiles(present, platform));
    // A pipe can be read only once.
    if (present.some(isPipe)) fromPipes = entries;
    const isInFile = (name: string) => entries.has(variableKey(name, platform));
    const others = await readOthers({ ...rules, isTaken: (name) => isInFile(name) || rules.isTaken(name) });
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
  files: readonly FileSetting[],
  platform: NodeJS.Platform,
): Promise<Map<string, ChildVariable>> {
  const entries = new Map<string, ChildVariable>();
  const read = await READERS.dotenv();
  for (const file of files) {
    const from = `${file.from} ${file.text}`;
    const text = decodeUtf8(await readSettingFile(file), `${from}: its content`);
    for (const { name, value } of withSubject(from, () => read(text))) {
      entries.set(variableKey(name, platform), { name, value: String(value), isText: true });
    }
  }
  return entries;
}

function isPipe({ text }: FileSetting): boolean {
  return statIfExists(text)?.isFile() === false;
}
