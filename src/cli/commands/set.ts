import { createInterface, type Key } from "node:readline";
import { Writable } from "node:stream";
import { MAX_INPUT } from "../../kit/files/open-file.js";
import { endBySignal } from "../../kit/process/signals.js";
import { checkDecoded } from "../../kit/process/this-process.js";
import { decodeUtf8 } from "../../kit/text/decode-utf8.js";
import { NotFoundError, UsageError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import { JsonError, type JsonValue, parseJson } from "../../kit/text/strict-json.js";
import { type EnvironmentRecord, qualifiedName } from "../../model/environment.js";
import {
  checkVariableName,
  type Definition,
  isVariableName,
  parseAs,
  VARIABLE_TYPES,
  type VariableType,
} from "../../model/variable.js";
import type { Data } from "../../store/data.js";
import { editEnvironments } from "../../tasks/data/edit-environments.js";
import { readStdin } from "../../tasks/files/named-file.js";
import { readSettings } from "../../tasks/settings/resolve-settings.js";
import { createEncrypt } from "../../tasks/sources/decryption.js";
import { defineCommand, type FlagValues } from "../arguments/command.js";
import { CHANGE_FLAGS, ENVIRONMENTS_FLAGS } from "../arguments/data-flags.js";
import { parseType } from "../arguments/flag-arguments.js";
import { ArgumentError } from "../arguments/parse-line.js";
import { ENCRYPTION_KEY_FILE } from "../arguments/source-flags.js";
import { type Context, type Io, printLines } from "../output/context.js";
import { writeRaw } from "../output/output.js";

const DEFINITION_FLAGS = {
  "--description <text>": "the purpose of the variable",
  "--optional": "check does not miss it in an environment without a value",
  "--no-optional": "each environment needs a value (the default)",
  "--public": "list, show and the screens show its values, as they are no secret",
  "--no-public": "its values are hidden (the default)",
  "--schema <json>": {
    help: "JSON Schema that its values must keep (see below)",
    parse: parseSchema,
  },
  "--no-schema": "its values may be anything of the type",
} as const;

export const definition = defineCommand({
  description: `Set a variable in an environment of a data file or a store, or in
    several with one change: --env can be repeated. Without VALUE, or with -,
    the value is read from stdin, which keeps it out of the process list; one
    newline at its end is removed. If stdin may be empty, pass -. On a terminal,
    it asks for the value without showing it. With a flag that changes the
    definition, such as --description, and without VALUE, the value does not
    change. Without --type, an existing variable keeps its type and a new one is
    a STRING.`,
  arguments: { "<name>": "name of the variable", "[value]": "its value as text, - for stdin" },
  flags: {
    "--type <type>": { help: "type of its values", choices: VARIABLE_TYPES, parse: parseType },
    ...DEFINITION_FLAGS,
    "--encrypt": "encrypt the value with the key of --enc-key-file; the server never sees it",
    ...ENCRYPTION_KEY_FILE,
    ...CHANGE_FLAGS,
    ...ENVIRONMENTS_FLAGS,
  },
  details:
    "A schema has the formats url, email, port and duration (90s, 30m, 24h, 7d). The values that are there\n" +
    "already stay; those that break it are listed.",
  examples: [
    "appvars set DATABASE_URL --data vars.json --env test < url.txt",
    `appvars set LOG_LEVEL --public --schema '{"enum":["debug","info"]}'`,
  ],
  async run({ name, value }, { type, encrypt = false, ...flags }, context) {
    const definition = definitionOf(flags);
    const { brokenValues, checkSchema } = await import("../../store/schema/value-schema.js");
    checkName(name);
    const keepsValue = value === undefined && Object.keys(definition).length > 0 && !encrypt;
    const fromStdin = !keepsValue && (value ?? "-") === "-";
    checkDecoded(value, "VALUE");
    checkDecoded(definition.description, "--description");
    if (definition.schema !== undefined) await checkSchema(definition.schema, "--schema");
    const settings = readSettings(flags, context);
    const toEnvelope = encrypt
      ? await createEncrypt(settings, fromStdin ? "the value" : undefined)
      : undefined;
    const given = keepsValue ? undefined : await readValue(name, value, context);
    const setting = { name, given, type, definition, toEnvelope };
    let rows: object[] = [];
    let broken: string[] = [];
    // All environments share the definition.
    const allEnvs =
      flags.allEnvs || (keepsValue && (flags.application !== undefined || !settings.find("env")));
    const choice = { ...flags, allEnvs, names: [name], mayBeNew: given !== undefined };
    const edited = await editEnvironments(settings, context, choice, async (data, environments) => {
      rows = [];
      let changed = data;
      for (const environment of environments) {
        const done = await setIn(changed, environment, environments, setting);
        changed = done.changed;
        rows.push(done.row);
      }
      if (definition.schema !== undefined) {
        const placeOf = new Map(data.environments.map((each) => [each.id, qualifiedName(each)]));
        const found = await brokenValues(data, changed);
        broken = found.map(
          ({ environment_id, rule }) => `${name} in ${placeOf.get(environment_id)} ${rule}`,
        );
      }
      return changed;
    });
    if (broken.length > 0) context.warn(`these values break the schema: ${broken.join("; ")}`);
    if (!edited) return;
    printLines(context, { json: flags.allEnvs || rows.length > 1 ? rows : rows[0], lines: [] });
    context.tell(`set ${name}`);
  },
});

interface Assigned {
  name: string;
  /** The text of the new value; `undefined` to keep the value. */
  given: string | undefined;
  type: VariableType | undefined;
  definition: ReturnType<typeof definitionOf>;
  toEnvelope: ((text: string) => JsonValue) | undefined;
}

/** Resolves to the data with the variable set in one environment, and the row that tells of it. */
async function setIn(
  data: Data,
  environment: EnvironmentRecord,
  all: readonly EnvironmentRecord[],
  { name, given, type, definition, toEnvelope }: Assigned,
) {
  const { setValues } = await import("../../store/edits/edit-values.js");
  const { checkPlainValues } = await import("../../store/schema/value-schema.js");
  const { id, application } = environment;
  const old = data.variables.find((each) => each.name === name && each.application === application);
  const oldValue = data.values.find(
    (each) => each.variable_id === old?.id && each.environment_id === id,
  );
  if (given === undefined && !old)
    throw new NotFoundError(`there is no variable "${name}"; to read its value from stdin, add -`);
  const newType = type ?? old?.type ?? "STRING";
  const plain = given === undefined ? oldValue?.content.value : parseAs(given, newType);
  const value = given === undefined || !toEnvelope ? plain : toEnvelope(given);
  const changed = setValues(
    data,
    environment,
    [{ name, value, type: newType, ...definition }],
    all,
  );
  if (toEnvelope && plain !== undefined)
    await checkPlainValues(changed, environment, [{ name, value: plain }]);
  const created = given !== undefined && !oldValue;
  return { changed, row: { application, environment: environment.name, name, created } };
}

/** Parses JSON; `checkSchema` checks that it is a schema. */
function parseSchema(text: string): NonNullable<Definition["schema"]> {
  try {
    return parseJson(text) as NonNullable<Definition["schema"]>;
  } catch (error) {
    throw error instanceof JsonError
      ? new ArgumentError(`It must be JSON: ${error.message}`)
      : error;
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

/** @throws UsageError that never quotes a value */
function checkName(text: string): void {
  const [name = "", value] = text.split("=", 2);
  if (value !== undefined && isVariableName(name))
    throw new UsageError(
      command`the name and the value are two arguments: appvars set ${name} VALUE`,
    );
  checkVariableName(name);
}

async function readValue(
  name: string,
  value: string | undefined,
  { io, surroundings }: Context,
): Promise<string> {
  if (value !== undefined && value !== "-") return value;
  const given = io.stdin.isTTY
    ? await askHidden(`value of ${name}: `, io)
    : decodeUtf8(
        await readStdin("the value on stdin", surroundings, MAX_INPUT),
        "the value on stdin",
      );
  const text = given.replace(/\r?\n$/, "");
  // `set NAME $UNSET` in a job without stdin must not clear the value.
  if (value === undefined && text === "") {
    throw new UsageError(
      command`there is no value: run appvars set ${name} VALUE, or write it to stdin; for an empty value, pass "" or -`,
    );
  }
  return text;
}

/**
 * Asks for a line, or for pasted lines, on a terminal that does not show it. Ctrl-C ends this
 * process.
 */
async function askHidden(
  question: string,
  { stdin, stderr }: Pick<Io, "stdin" | "stderr">,
): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const readline = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  const lines: string[] = [];
  let isPasting = false;
  stdin.on("keypress", (_text, { name }: Key) => {
    if (name === "paste-start" || name === "paste-end") isPasting = name === "paste-start";
  });
  // The terminal then marks where a paste begins and ends.
  const ask = () => writeRaw(stderr, `${question}\u001b[?2004h`);
  ask();
  readline.on("SIGCONT", () => readline.resume()).on("SIGCONT", ask);
  const isAnswered = await new Promise((resolve) => {
    readline.on("line", (line) => {
      lines.push(line);
      if (!isPasting) resolve(true);
    });
    readline.on("close", () => resolve(true)).on("SIGINT", () => resolve(false));
  });
  readline.close();
  await new Promise<void>((resolve) => writeRaw(stderr, "\u001b[?2004l\n", resolve));
  if (!isAnswered) endBySignal("SIGINT");
  return lines.join("\n");
}
