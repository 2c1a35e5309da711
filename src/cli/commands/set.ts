import { text } from "node:stream/consumers";
import { Command, Option } from "commander";
import { UsageError } from "../../domain/errors.js";
import { VARIABLE_TYPES, type VariableType } from "../../domain/variable.js";
import type { Context } from "../context.js";
import { editEnvironment } from "../editing.js";
import { findEncryptionKey } from "../read-secret.js";
import type { SourceFlags } from "../settings.js";
import { addDataOptions, encryptionKeyOption } from "../source-options.js";
import { parseType } from "../type-argument.js";

export interface SetOptions {
  name: string;
  /** From the command line; read from stdin when undefined or `-`. */
  value: string | undefined;
  type: VariableType | undefined;
  description: string | undefined;
  encrypt: boolean;
}

export function setCommand(context: Context): Command {
  const command = new Command("set")
    .summary("set a variable in a data file")
    .description(
      "Set a variable in one environment of a data file. Without VALUE, or with -, it is read from stdin, where it " +
        "is out of sight of the process list; one newline at its end is not a part of it. A variable that exists " +
        "keeps its type, a new one is a STRING, unless --type says otherwise.",
    )
    .argument("<name>", "name of the variable")
    .argument("[value]", "its value as text, - for stdin")
    .addOption(new Option("--type <type>", "type of its values").choices(VARIABLE_TYPES).argParser(parseType))
    .option("--description <text>", "what it is for")
    .option("--encrypt", "encrypt the value with the key of --enc-key-file; the server never sees it")
    .addOption(encryptionKeyOption())
    .addHelpText("after", "\nExample:\n  appvars set DATABASE_URL --data vars.json --env test < url.txt")
    .action((name: string, value: string | undefined, { type, description, encrypt = false, ...flags }) =>
      runSet({ name, value, type, description, encrypt }, flags, context),
    );
  return addDataOptions(command);
}

/** @throws UsageError for a value that is not of its type; InvalidDataError, NotFoundError */
export async function runSet(options: SetOptions, flags: SourceFlags, context: Context): Promise<void> {
  const { parseAs } = await import("../../formats/infer-type.js");
  const { setValues } = await import("../../store/edit-values.js");
  const { name, description } = options;
  const fromStdin = options.value === undefined || options.value === "-";
  if (fromStdin && flags["encKeyFile"] === "-")
    throw new UsageError("the value and the key can't both come from stdin");
  const key = options.encrypt ? await requireKey(flags, context) : undefined;
  const { encrypt } = await import("../../encryption/envelope.js");
  const given = await readValue(options.value, context);
  await editEnvironment(flags, context.io, (data, environment) => {
    const isNamed = (item: { name: string; application: string }) =>
      item.name === name && item.application === environment.application;
    const type = options.type ?? data.variables.find(isNamed)?.type ?? "STRING";
    const plain = parseAs(given, type);
    const value = key === undefined ? plain : encrypt(given, key);
    return setValues(data, environment, [{ name, value, type, description }]);
  });
  context.tell(`set ${name}`);
}

async function requireKey(flags: SourceFlags, { io }: Context): Promise<string> {
  const key = await findEncryptionKey(flags, io);
  if (key === undefined) throw new UsageError("--encrypt needs a key: set APPVARS_ENC_KEY, or add --enc-key-file");
  return key;
}

async function readValue(given: string | undefined, { io, note }: Context): Promise<string> {
  if (given !== undefined && given !== "-") return given;
  if (io.stdin.isTTY) note("type the value, then Enter and Ctrl-D");
  return (await text(io.stdin)).replace(/\r?\n$/, "");
}
