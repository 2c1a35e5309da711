import { ifNotFound } from "../../../kit/text/errors.js";
import type { JsonValue } from "../../../kit/text/strict-json.js";
import { DecryptionError, InconsistentAnswersError } from "../../../model/errors.js";
import { missingNamesError } from "../../../model/reads/missing-names.js";
import { readAll } from "../../../model/reads/page.js";
import type { VariableReader } from "../../../model/reads/read.js";
import { checkType, type VariableEntry } from "../../../model/reads/variable-entries.js";
import { isReservedName } from "../../../model/reserved-names.js";
import {
  isPublic,
  isUnreadable,
  VARIABLE_FIELDS,
  VARIABLE_LABELS,
  type VariableValue,
  valueText,
} from "../../../model/variable.js";
import { connectionOf } from "../../../tasks/settings/connection.js";
import type { Settings } from "../../../tasks/settings/resolve-settings.js";
import { HIDDEN, SETTINGS, shownText } from "../../../tasks/settings/setting-table.js";
import {
  createDecrypt,
  leaveEncrypted,
  leaveUnlessSealed,
} from "../../../tasks/sources/decryption.js";
import { openSource, withSource } from "../../../tasks/sources/open-source.js";
import { defineCommand } from "../../arguments/command.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";
import type { Context } from "../../output/context.js";
import { printFields } from "../../output/output.js";

export const definition = defineCommand({
  description: `Show the definition and the value record of a
    variable, its source and environment, when and by whom the
    value was last changed, and what run does with this variable
    of the shell. Prints the value only with --values, or if it
    is public.`,
  arguments: { "<name>": "name of the variable" },
  flags: {
    "--values": "show the value too",
    ...SOURCE_FLAGS,
  },
  examples: ["appvars show DATABASE_URL"],
  async run({ name }, { values: showValues = false, ...flags }, context) {
    const settings = await context.settings(flags);
    const { env } = context.surroundings;
    return withSource(openSource(settings, context), async (source) => {
      const entry = await source.readSnapshot((snapshot) => readEntry(name, snapshot));
      const { variable, value, rules } = entry;
      const { content: stored, ...ids } = value ?? {};
      const encrypted = isUnreadable(stored?.value);
      const content = stored && (await readContent(name, stored.value, showValues, settings));
      const isShown = showValues || isPublic(rules);
      const shellText = Object.hasOwn(env, name) ? env[name] : undefined;
      const json = {
        variable: { ...variable, ...rules },
        value: value
          ? { ...ids, encrypted, ...(isShown && { content: { value: content } }) }
          : null,
        changed: value && (await lastChange(value, settings, context)),
        source: originsOf(settings),
        shell: describeShellVariable(name, content, shellText),
      };
      const fields = definitionFields(entry);
      fields.push(["value id", value ? String(value.id) : "(no value in this environment)"]);
      if (content !== undefined)
        fields.push(["value", isShown ? valueText(content) : "(hidden: --values shows it)"]);
      if (json.changed) {
        const { time, actor, command } = json.changed;
        fields.push(["changed", `${time} by ${actor} (${command})`]);
      }
      fields.push(...json.source.map(originField), ["shell", json.shell]);
      await printFields(context, { json, fields });
    });
  },
});

type Field = [label: string, text: string];

function definitionFields({ variable, rules = {} }: VariableEntry): Field[] {
  return [
    ...VARIABLE_FIELDS.map((field): Field => [VARIABLE_LABELS[field], String(variable[field])]),
    ...Object.entries(rules).map(([field, rule]): Field => [field, JSON.stringify(rule)]),
  ];
}

/** @throws NotFoundError with a suggestion if no variable has that name */
async function readEntry(name: string, reader: VariableReader): Promise<VariableEntry> {
  const value = await reader.getValueByName(name).catch(ifNotFound);
  if (value) {
    const variable = await reader.getVariable(value.variable_id).catch(ifNotFound);
    if (!variable)
      throw new InconsistentAnswersError(`the server has no variable for the value of ${name}`);
    if (variable.name !== name)
      throw new InconsistentAnswersError(`the server sends another variable's value for ${name}`);
    checkType(variable, value.content.value);
    return { variable, value, rules: reader.rulesOf(variable.id) };
  }
  // Only the list has definitions without a value here.
  const variables = await readAll((page) => reader.listVariables(page));
  const variable = variables.find((each) => each.name === name);
  if (!variable) throw await missingNamesError([name], reader);
  return { variable, value: undefined, rules: reader.rulesOf(variable.id) };
}

/**
 * Decrypts a value if there is a key.
 *
 * @throws DecryptionError for a wrong key, if the value is to be shown
 */
async function readContent(
  name: string,
  stored: JsonValue,
  showValues: boolean,
  settings: Settings,
): Promise<JsonValue> {
  if (!isUnreadable(stored)) return stored;
  const decrypt = await createDecrypt(settings, showValues ? leaveUnlessSealed : leaveEncrypted);
  try {
    return decrypt(name, stored);
  } catch (error) {
    if (showValues || !(error instanceof DecryptionError)) throw error;
    return stored;
  }
}

async function lastChange({ id }: VariableValue, settings: Settings, context: Context) {
  const connection = connectionOf(settings);
  if (connection.kind !== "data") return undefined;
  const { openDataAccess } = await import("../../../tasks/data/open-data.js");
  const { lastChangeOf } = await import("../../../store/edits/change-rows.js");
  const local = await openDataAccess(connection.location, context);
  const finding = local.history((history) => lastChangeOf(id, history));
  return finding.catch((error: Error) => context.warn(error.message));
}

/**
 * The settings that select the source and its environment, and the weaker ones
 * they override.
 */
function originsOf(settings: Settings) {
  const names = ["url", connectionOf(settings).kind === "data" ? "env" : "apiKey"] as const;
  return names.flatMap((name) => {
    const [setting, ...weaker] = settings.findAll(name);
    const overrides = weaker.map(({ from }) => from);
    if (setting) {
      const { key } = SETTINGS[setting.name];
      return { setting: key, value: shownText(setting) ?? HIDDEN, from: setting.from, overrides };
    }
    const { key, default: value } = SETTINGS[name];
    return value === undefined ? [] : { setting: key, value, from: "default", overrides };
  });
}

/** `env  test (--env; overrides APPVARS_ENV)` */
function originField(origin: ReturnType<typeof originsOf>[number]): Field {
  const { setting, value, from, overrides } = origin;
  const also = overrides.length > 0 ? `; overrides ${overrides.join(", ")}` : "";
  return [setting.replaceAll("_", " "), `${value} (${from}${also})`];
}

/**
 * Describes the effect of `run` on the shell's variable of this name.
 *
 * @param content the value that `run` would set
 * @param current the shell's value
 */
function describeShellVariable(
  name: string,
  content: JsonValue | undefined,
  current: string | undefined,
): string {
  const set = current === undefined ? "not set" : "set";
  if (content === undefined) return `${set}; run does not touch it`;
  if (isUnreadable(content)) return `${set}; run fails: it has no key that decrypts the value`;
  const isSame = current === valueText(content);
  const state = current === undefined ? set : `set to ${isSame ? "the same" : "another"} value`;
  if (isReservedName(name)) return `${state}; run leaves it out, unless --allow-reserved names it`;
  if (current === undefined) return `${state}; run sets it`;
  return `${state}; ${isSame ? "run leaves that" : "run replaces it, unless --preserve-env"}`;
}
