import { MAX_INPUT } from "../../../kit/files/read-file.js";
import { checkDecoded } from "../../../kit/process/this-process.js";
import { decodeUtf8 } from "../../../kit/text/decode-utf8.js";
import { UsageError } from "../../../kit/text/errors.js";
import { command } from "../../../kit/text/shell.js";
import { JsonError, parseJson } from "../../../kit/text/strict-json.js";
import {
  checkVariableName,
  isVariableName,
  type JsonSchema,
  VARIABLE_TYPES,
} from "../../../model/variable.js";
import { updateEnvironments } from "../../../tasks/data/open-data.js";
import { readStdin } from "../../../tasks/files/named-file.js";
import { createEncrypt } from "../../../tasks/sources/decryption.js";
import { defineCommand, type FlagValues } from "../../arguments/command.js";
import { CHANGE_FLAGS, ENVIRONMENTS_FLAGS } from "../../arguments/data-flags.js";
import { parseType } from "../../arguments/flag-arguments.js";
import { ArgumentError } from "../../arguments/parse-line.js";
import { ENCRYPTION_KEY_FILE } from "../../arguments/source-flags.js";
import type { Context } from "../../output/context.js";
import { printLines } from "../../output/output.js";

const DEFINITION_FLAGS = {
  "--description <text>": "what the variable is for",
  "--optional": "environments may lack a value: check does not report it",
  "--no-optional": "each environment needs a value (the default)",
  "--public": "show its values in list, show and tui: they are not secret",
  "--no-public": "hide its values (the default)",
  "--schema <json>": {
    help: "JSON Schema for its values (see below)",
    parse: parseSchema,
  },
  "--no-schema": "accept any value of the type",
} as const;

export const definition = defineCommand({
  description: `Set a variable in an environment of a data file
    or a store. Repeat --env to set it in several environments
    with one change. Without VALUE, or with -, reads the value
    from stdin, which keeps it out of the process list, and
    removes one newline at its end. If stdin may be empty, pass
    -. On a terminal, asks for the value and does not show it.
    Without VALUE, but with a flag that changes the definition,
    such as --description, keeps the value. Without --type, an
    existing variable keeps its type, and a new variable is a
    STRING.`,
  arguments: {
    "<name>": "name of the variable",
    "[value]": "its value as text, - for stdin",
  },
  flags: {
    "--type <type>": {
      help: "type of its values",
      choices: VARIABLE_TYPES,
      parse: parseType,
    },
    ...DEFINITION_FLAGS,
    "--encrypt": "encrypt the value, so that the server can't read it",
    ...ENCRYPTION_KEY_FILE,
    ...CHANGE_FLAGS,
    ...ENVIRONMENTS_FLAGS,
  },
  details: `\
Schemas support the formats url, email, port and duration (90s, 30m, 24h, 7d).
Existing values that break the schema are kept, and listed.`,
  examples: [
    "appvars set DATABASE_URL --data vars.json --env test < url.txt",
    `appvars set LOG_LEVEL --public --schema '{"enum":["debug","info"]}'`,
  ],
  async run({ name, value }, { type, encrypt = false, ...flags }, context) {
    if (!isVariableName(name)) refuseName(name);
    checkDecoded(value, "VALUE");
    checkDecoded(flags.description, "--description");
    const definition = definitionOf(flags);
    const { checkSchema } = await import("../../../store/schema/value-schema.js");
    if (definition.schema !== undefined) await checkSchema(definition.schema, "--schema");
    const keepsValue = value === undefined && Object.keys(definition).length > 0 && !encrypt;
    const isInput = !keepsValue && (value ?? "-") === "-";
    const settings = await context.settings(flags);
    const toEnvelope = encrypt
      ? await createEncrypt(settings, isInput ? "the value" : undefined)
      : undefined;
    const text = isInput ? await readValue(name, value === "-", context) : value;
    const assignment = { name, text, type, definition, toEnvelope };
    // All environments share the definition.
    const allEnvs =
      flags.allEnvs || (keepsValue && (flags.application !== undefined || !settings.find("env")));
    const choice = { ...flags, allEnvs, names: [name], mayBeNew: !keepsValue };
    const { setVariable } = await import("../../../store/edits/edit-values.js");
    let rows: object[] = [];
    let broken: string[] = [];
    const edited = await updateEnvironments(
      settings,
      context,
      choice,
      async (data, environments) => {
        const result = await setVariable(data, environments, assignment);
        ({ rows, broken } = result);
        return result.changed;
      },
    );
    if (broken.length > 0) context.warn(`these values break the schema: ${broken.join("; ")}`);
    if (!edited) return;
    printLines(context, { json: flags.allEnvs || rows.length > 1 ? rows : rows[0] });
    context.tell(`set ${name}`);
  },
});

/** Parses JSON. `checkSchema` checks that it is a schema. */
function parseSchema(text: string): JsonSchema {
  try {
    return parseJson(text) as unknown as JsonSchema;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ArgumentError(`It must be JSON: ${error.message}`);
  }
}

/** The fields that the flags change; `--no-schema` removes the schema. */
function definitionOf(flags: FlagValues<typeof DEFINITION_FLAGS>) {
  const { description, optional, public: isPublic, schema } = flags;
  return {
    ...(description !== undefined && { description }),
    ...(optional !== undefined && { optional }),
    ...(isPublic !== undefined && { secret: !isPublic }),
    ...(schema !== undefined && { schema: schema === false ? undefined : schema }),
  };
}

/** @throws UsageError that never quotes a value, not even of `NAME=VALUE` */
function refuseName(text: string): never {
  const [name = ""] = text.split("=", 1);
  checkVariableName(name);
  throw new UsageError(
    command`the name and the value are two arguments: appvars set ${name} VALUE`,
  );
}

async function readValue(
  name: string,
  mayBeEmpty: boolean,
  { io, surroundings }: Context,
): Promise<string> {
  const subject = "the value on stdin";
  const input = io.stdin.isTTY
    ? await (await import("../../output/ask-hidden.js")).askHidden(`value of ${name}: `, io)
    : decodeUtf8(await readStdin(subject, surroundings, MAX_INPUT), subject);
  const text = input.replace(/\r?\n$/, "");
  // `set NAME $UNSET` in a job without stdin must not clear the value.
  if (text === "" && !mayBeEmpty) {
    const call = command`appvars set ${name} VALUE`;
    const advice = `run ${call}, or write it to stdin; for an empty value, pass "" or -`;
    throw new UsageError(`there is no value: ${advice}`);
  }
  return text;
}
