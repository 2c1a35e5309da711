import { isDeepStrictEqual } from "node:util";
import { decrypt, encrypt } from "../../client/envelope.js";
import { UsageError, withSubject } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../model/environment.js";
import { ConcurrentChangeError } from "../../model/errors.js";
import {
  type Complete,
  checkVariableName,
  type Definition,
  formatAs,
  isUnreadable,
  type JsonSchema,
  parseAs,
  parseExactJson,
} from "../../model/variable.js";
import type {
  PerEnvironment,
  VariableChange,
  VariableState,
  WantedValue,
} from "../../model/variable-change.js";
import type { Data } from "../../store/data.js";
import {
  applyVariableChanges,
  changesByEnvironment,
  isSameState,
  statesByName,
} from "../../store/edits/variable-changes.js";
import { checkPlainValues, checkSchema } from "../../store/schema/value-schema.js";
import type { EditableStore } from "../../store/store.js";
import type { Draft, VariableEditor } from "../state/ports.js";
import { InvalidFieldError } from "../state/readings.js";

export interface EditedData {
  /** The path of the file, or the URL of the store. */
  readonly name: string;
  readonly store: EditableStore;
  /** Called before each edit. An error that it throws prevents the edit. */
  check(purpose: "change"): void;
}

/** A change, with the new value before encryption. */
interface PlannedChange extends VariableChange {
  readonly plain: JsonValue | undefined;
}

/** @param key the key of encrypted values */
export function createEditor(
  { name, store, check }: EditedData,
  environment: EnvironmentRecord,
  key?: string,
): VariableEditor {
  const own = qualifiedName(environment);
  /**
   * The data that a refused edit read, and the snapshot at that time, which was
   * older.
   */
  let newer: { readonly data: Data; readonly snapshot: Data } | undefined;
  const plan = <T extends Named>(wanted: readonly PerEnvironment<T>[], changeOf: ToChange<T>) => {
    check("change");
    const data = newer?.snapshot === store.data ? newer.data : store.data;
    return plannedChanges(data, environment, wanted, changeOf);
  };
  return {
    store: name,
    environment: own,
    async prepare(draft, environments = [own]) {
      const parsed = await parseDraft(draft);
      const wanted = environments.map((each) => ({ environment: each, changes: [parsed] }));
      return plan(wanted, (each, now) => draftedChange(each, now, key));
    },
    async assign(wanted) {
      return plan(wanted, (each, now) => assignedChange(each, now, key));
    },
    async apply(parts, command) {
      check("change");
      const change = (data: Data) => {
        try {
          checkUnchanged(data, parts);
          return applyVariableChanges(data, parts);
        } catch (error) {
          newer = { data, snapshot: store.data };
          throw error;
        }
      };
      await store.update(change, { command });
    },
  };
}

interface Named {
  readonly name: string;
}

type ToChange<T> = (wanted: T, now: VariableState | undefined) => PlannedChange;

/**
 * Plans changes exactly as they would be written, so that errors are reported
 * before the user confirms.
 */
async function plannedChanges<T extends Named>(
  data: Data,
  own: EnvironmentRecord,
  wanted: readonly PerEnvironment<T>[],
  changeOf: ToChange<T>,
) {
  const parts = wanted.map(({ environment, changes }) => {
    const present = statesByName(data, environment, changes);
    return { environment, changes: changes.map((each) => changeOf(each, present.get(each.name))) };
  });
  const next = applyVariableChanges(data, parts);
  /** One environment of each application, by the name of the application. */
  const homes = new Map<string, EnvironmentRecord>();
  for (const { environment, changes } of parts) {
    const home = findEnvironment(data.environments, environment);
    await inField("value", () => checkPlainValues(next, home, changes.flatMap(toCheck)));
    if (home.id === own.id || !homes.has(home.application)) homes.set(home.application, home);
  }
  return [...homes.values()].flatMap((home) => changesByEnvironment(data, next, home));
}

/** The new value, or the current one with a new schema. */
function toCheck({ name, newName = name, before, after, plain }: PlannedChange) {
  const isChanged = !isDeepStrictEqual(
    [before?.value, before?.schema],
    [after?.value, after?.schema],
  );
  return plain !== undefined && isChanged ? { name: newName, value: plain } : [];
}

function checkUnchanged(data: Data, parts: readonly PerEnvironment<VariableChange>[]): void {
  for (const { environment, changes } of parts) {
    const present = statesByName(data, environment, changes);
    for (const { name, before } of changes) {
      if (isSameState(present.get(name), before)) continue;
      throw new ConcurrentChangeError(`${name} was changed by another program; review it again`);
    }
  }
}

async function parseDraft(draft: Draft): Promise<ParsedDraft> {
  const schema = await inField("schema", () => parseSchema(draft.schema));
  const value = await inField("value", () => parseValue(draft));
  await inField("name", () => checkVariableName(draft.newName ?? draft.name));
  return { ...draft, schema, value };
}

/** @throws UsageError */
async function parseSchema(text: string): Promise<JsonSchema | undefined> {
  if (text.trim() === "") return undefined;
  const schema = withSubject("the schema", () => parseExactJson(text)) as JsonSchema;
  await checkSchema(schema, "the schema");
  return schema;
}

/** @throws UsageError that states the rule of the type */
function parseValue({ type, value }: Draft): JsonValue | undefined {
  return value === undefined ? undefined : parseAs(type === "STRING" ? value : value.trim(), type);
}

/** @throws InvalidFieldError for `field` instead of a UsageError */
async function inField<T>(
  field: InvalidFieldError["field"],
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UsageError ? new InvalidFieldError(error.message, field) : error;
  }
}

type ParsedDraft = Omit<Draft, "schema" | "value"> &
  Pick<Definition, "schema"> &
  Pick<VariableState, "value">;

/** @param now the current variable */
function draftedChange(
  draft: ParsedDraft,
  now: VariableState | undefined,
  key: string | undefined,
): PlannedChange {
  const { name, newName, before, type, description, optional, secret, schema } = draft;
  if (!before && now)
    throw new InvalidFieldError(`${name} already exists: edit it instead`, "name");
  const rules = {
    optional: optional || undefined,
    secret: secret === false ? false : undefined,
    schema,
  };
  const definition: Complete<Definition> = { type, description, ...rules };
  // Another program may have changed the fields that were not edited.
  const fields = Object.entries(definition) as [keyof Definition, unknown][];
  const edited = fields.filter(([field, value]) => !isDeepStrictEqual(value, before?.[field]));
  const plain = draftedValue(draft, now);
  // Stays encrypted, even if another program has removed the value or replaced
  // it by plain text.
  const replaced = isUnreadable(now?.value) ? now.value : before?.value;
  const value = plain === now?.value ? plain : encryptedLike(replaced, draft, plain, key);
  const after = { ...definition, ...now, ...Object.fromEntries(edited), value };
  return { name, newName, before: now, after, plain };
}

/**
 * The new value before encryption.
 *
 * @throws UsageError
 */
function draftedValue(
  { name, before, value }: ParsedDraft,
  now: VariableState | undefined,
): JsonValue | undefined {
  if (value === undefined && before && !now)
    throw new UsageError(`${name} has been removed by another program`);
  if (value === undefined) return now?.value;
  return now && isDeepStrictEqual(value, before?.value) ? now.value : value;
}

function assignedChange(
  wanted: WantedValue,
  before: VariableState | undefined,
  key: string | undefined,
): PlannedChange {
  const { name, value: plain, ...definition } = wanted;
  if (plain === undefined)
    return { name, before, after: before && { ...before, value: plain }, plain };
  const value = encryptedLike(before?.value, wanted, plain, key);
  const after = { ...(before ?? definition), type: definition.type, value };
  return { name, before, after, plain };
}

/**
 * Encrypts a value that replaces an encrypted one, with the same key.
 *
 * @throws UsageError, DecryptionError if the key is missing or wrong
 */
function encryptedLike(
  replaced: JsonValue | undefined,
  { name, type }: Pick<WantedValue, "name" | "type">,
  value: JsonValue | undefined,
  key: string | undefined,
): JsonValue | undefined {
  if (!isUnreadable(replaced) || isUnreadable(value) || value === undefined) return value;
  if (key === undefined)
    throw new UsageError(
      `${name} is encrypted here: to change it, set APPVARS_ENC_KEY or add --enc-key-file`,
    );
  const text = formatAs(value, type);
  // Decrypting checks the key: with another one, users of the current key
  // couldn't read the value.
  return text === decrypt(replaced, key, name) ? replaced : encrypt(text, key);
}
