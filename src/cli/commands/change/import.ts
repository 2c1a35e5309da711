// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in dotenv files

import { IMPORT_FORMATS } from "../../../formats/formats.js";
import { DOTENV_PROGRAMS } from "../../../formats/reader.js";
import { type Difference, diffValues } from "../../../model/diff-values.js";
import { updateEnvironments } from "../../../tasks/data/open-data.js";
import {
  createEncryption,
  currentValues,
  readImport,
  typeEntries,
} from "../../../tasks/transfer/read-import.js";
import { defineCommand } from "../../arguments/command.js";
import { CHANGE_FLAGS, DATA_FLAGS } from "../../arguments/data-flags.js";
import { parseNames } from "../../arguments/selection-flags.js";
import { ENCRYPTION_KEY_FILE } from "../../arguments/source-flags.js";

export const definition = defineCommand({
  description: `Import variables into an environment of a data
    file or a store, in one atomic write. An existing variable
    keeps its type, which the new value must have. A new
    variable gets the type of its value in JSON or YAML. A
    dotenv text is BOOLEAN if true or false, NUMBER if a number
    in its shortest form, JSON if an object or array, otherwise
    STRING, unless a comment written by export says otherwise.
    Variables that are not in the file don't change.`,
  arguments: { "<file>": "file to import, - for stdin" },
  flags: {
    "--format <format>": {
      help: "default: by the file extension, otherwise dotenv",
      choices: IMPORT_FORMATS,
    },
    "--for <program>": {
      help: "read a dotenv file as this program does",
      choices: DOTENV_PROGRAMS,
      conflicts: ["expand"],
    },
    "--expand":
      "in a dotenv file, replace $NAME, ${NAME} and ${NAME:-default} with values of the file",
    "--encrypt [names]": {
      help: "encrypt the values, or only these: names and globs, separated by commas",
      preset: "*",
      parse: (text: string) => (text === "*" ? ("all" as const) : parseNames(text)),
    },
    ...ENCRYPTION_KEY_FILE,
    ...CHANGE_FLAGS,
    ...DATA_FLAGS,
  },
  examples: ["appvars import .env --data vars.json --env development --dry-run"],
  async run({ file }, { format, for: program, expand = false, encrypt, ...flags }, context) {
    const options = { file, format, program, expand };
    const settings = await context.settings(flags);
    const { setValues } = await import("../../../store/edits/edit-values.js");
    const { checkPlainValues } = await import("../../../store/schema/value-schema.js");
    const { note } = context;
    const encryptValues = await createEncryption(options, encrypt, settings);
    const imported = await readImport(options, context.surroundings, note);
    let message = "";
    const edited = await updateEnvironments(settings, context, {}, async (data, [environment]) => {
      const plain = typeEntries(imported, data, environment, note);
      if (encrypt !== undefined) await checkPlainValues(data, environment, plain);
      const current = currentValues(data, environment, plain);
      const values = encryptValues(plain, current);
      const differences = diffValues(current, values);
      message = summary(differences, values.length);
      return differences.length > 0 ? setValues(data, environment, values) : data;
    });
    if (edited) context.tell(message);
  },
});

function summary(differences: readonly Difference[], total: number): string {
  const added = differences.filter(({ kind }) => kind === "added").length;
  const changed = differences.length - added;
  return `imported: ${added} added, ${changed} changed, ${total - differences.length} unchanged`;
}
