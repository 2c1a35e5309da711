import { isDeepStrictEqual } from "node:util";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { ChangedMeanwhileError, DecryptionError, UsageError } from "../../domain/errors.js";
import { JsonError, parseJson } from "../../domain/strict-json.js";
import {
  type Definition,
  isEncrypted,
  isVariableName,
  type JsonSchema,
  type JsonValue,
  NAME_RULE,
  textAs,
  type VariableType,
} from "../../domain/variable.js";
import { decrypt, encrypt } from "../../encryption/envelope.js";
import { parseAs } from "../../formats/infer-type.js";
import type { Data } from "../../store/data.js";
import type { EditableStore } from "../../store/store.js";
import { checkSchema, keepingSchemas } from "../../store/value-schema.js";
import type { Assigned, Assignment, Change, Draft, Editor, EnvironmentChanges } from "../../tui/state/ports.js";
import { decryptValues } from "../reading/decryption.js";
import { isSame, partsBetween, presentByName, withChanges } from "./edit-data.js";

/** Data that is edited. */
export interface EditedData {
  /** The path or the URL. */
  readonly name: string;
  readonly store: EditableStore;
  /** Called before each edit; an error that it throws prevents the edit. */
  check(): void;
}

/** The data that a refused edit has found, which is newer than the snapshot that the store had then. */
const found = new WeakMap<EditableStore, { readonly data: Data; readonly snapshot: Data }>();

function currentData(store: EditableStore): Data {
  const newer = found.get(store);
  return newer?.snapshot === store.snapshot ? newer.data : store.snapshot;
}

/** @param key the key of encrypted values */
export function createEditor(
  { name: place, store, check }: EditedData,
  environment: EnvironmentRecord,
  key: string | undefined,
): Editor {
  const own = qualifiedName(environment);
  /** What changes, as it would be written: errors are reported before anyone is asked to confirm it. */
  const planned = async (data: Data, parts: readonly EnvironmentChanges[]) => {
    const next = await keepingRules(withChanges(data, parts), parts, key);
    return partsBetween(data, next, findEnvironment(data.environments, own));
  };
  return {
    store: place,
    environment: own,
    async prepare(draft, environments = [own]) {
      check();
      const data = currentData(store);
      const schema = await parseSchema(draft.schema);
      const parts = environments.map((each) => {
        const now = presentByName(data, each, [draft]).get(draft.name);
        return { environment: each, changes: [draftedChange(draft, schema, now, key)] };
      });
      return planned(data, parts);
    },
    async assign(wanted) {
      check();
      const data = currentData(store);
      const parts = wanted.map(({ environment: each, changes }) => {
        const present = presentByName(data, each, changes);
        return {
          environment: each,
          changes: changes.map((change) => assignedChange(present.get(change.name), change, key)),
        };
      });
      return planned(data, parts);
    },
    async apply(parts) {
      check();
      found.delete(store);
      await store.update(async (data) => {
        try {
          checkUnchanged(data, parts);
          return await keepingRules(withChanges(data, parts), parts, key);
        } catch (error) {
          found.set(store, { data, snapshot: store.snapshot });
          throw error;
        }
      });
    },
  };
}

function checkUnchanged(data: Data, parts: readonly EnvironmentChanges[]): void {
  for (const { environment, changes } of parts) {
    const present = presentByName(data, environment, changes);
    for (const { name, before } of changes) {
      if (isSame(present.get(name), before)) continue;
      throw new ChangedMeanwhileError(`${name} has been changed by another program; look at it again`);
    }
  }
}

/** The data after changes, if new values keep the schemas, and present ones new schemas. @throws UsageError */
async function keepingRules(data: Data, parts: readonly EnvironmentChanges[], key: string | undefined): Promise<Data> {
  for (const { environment, changes } of parts) {
    const set = changes.flatMap(({ name, newName = name, before, after }) => {
      const isChecked =
        after?.value !== undefined && !isDeepStrictEqual([before?.value, before?.schema], [after.value, after.schema]);
      return isChecked ? { name: newName, type: after.type, value: after.value as JsonValue } : [];
    });
    // With a key, encrypted ones too.
    const plain = await decryptValues(set, (_name, value) => plainIfKnown(value, key));
    await keepingSchemas(data, findEnvironment(data.environments, environment), plain);
  }
  return data;
}

/** The value as it is if another key has encrypted it. */
function plainIfKnown(value: JsonValue, key: string | undefined): JsonValue {
  try {
    return isEncrypted(value) && key !== undefined ? decrypt(value, key) : value;
  } catch {
    return value;
  }
}

/** @throws UsageError */
async function parseSchema(text: string): Promise<JsonSchema | undefined> {
  if (text.trim() === "") return undefined;
  const schema = parsed(text) as JsonSchema;
  await checkSchema(schema, "the schema");
  return schema;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof JsonError ? new UsageError(`the schema is not JSON: ${error.message}`) : error;
  }
}

/** @param now the present variable */
function draftedChange(
  draft: Draft,
  schema: JsonSchema | undefined,
  now: Assigned | undefined,
  key: string | undefined,
): Change {
  const { name, newName, before, type, description, optional, secret } = draft;
  for (const each of [name, newName ?? name]) if (!isVariableName(each)) throw new UsageError(`a name is ${NAME_RULE}`);
  if (/\p{Cc}/u.test(description)) throw new UsageError("a description is one line, without control characters");
  if (!before && now) throw new UsageError(`${name} already exists: edit it instead`);
  const definition: Definition = {
    type,
    description,
    optional: optional || undefined,
    secret: secret === false ? false : undefined,
    schema,
  };
  // What was not edited is as it is now: another program may have changed it.
  const fields = Object.entries(definition) as [keyof Definition, unknown][];
  const edited = fields.filter(([field, value]) => !now || !isDeepStrictEqual(value, before?.[field]));
  const after = { ...definition, ...now, ...Object.fromEntries(edited), value: draftedValue(draft, now, key) };
  return { name, newName, before: now, after };
}

function draftedValue({ name, before, type, value }: Draft, now: Assigned | undefined, key: string | undefined) {
  if (value === undefined) {
    if (before && !now) throw new UsageError(`${name} has been removed by another program`);
    return now?.value;
  }
  const text = type === "STRING" ? value : value.trim();
  const typed = parseTyped(text, type);
  if (now && isDeepStrictEqual(typed, before?.value)) return now.value;
  // An encrypted value stays so, even if another program has removed it or written it as plain text.
  const replaced = isEncrypted(now?.value) ? now.value : before?.value;
  return encryptedLike(replaced, name, typed, text, key);
}

function assignedChange(before: Assigned | undefined, wanted: Assignment, key: string | undefined): Change {
  const { name, value, ...definition } = wanted;
  if (value === undefined) return { name, before, after: before && { ...before, value } };
  const next = encryptedLike(before?.value, name, value, textAs(value, definition.type), key);
  return { name, before, after: { ...(before ?? definition), type: definition.type, value: next } };
}

/** A value that replaces an encrypted one is encrypted again, unless it comes in the encrypted form. */
function encryptedLike(
  before: JsonValue | undefined,
  name: string,
  value: JsonValue,
  text: string,
  key: string | undefined,
): JsonValue {
  return isEncrypted(before) && !isEncrypted(value) ? encryptAgain(name, before, text, key) : value;
}

function encryptAgain(name: string, envelope: string, text: string, key: string | undefined): string {
  if (key === undefined) {
    throw new UsageError(`${name} is encrypted here: to change it, set APPVARS_ENC_KEY or add --enc-key-file`);
  }
  return text === decryptPresent(name, envelope, key) ? envelope : encrypt(text, key);
}

/** Refuses another key: those who have the present one could no longer read the value. */
function decryptPresent(name: string, envelope: string, key: string): string {
  try {
    return decrypt(envelope, key);
  } catch (error) {
    throw error instanceof DecryptionError ? new UsageError(`${name} ${error.message}`) : error;
  }
}

/**
 * The value of a text that a person typed or pasted.
 *
 * @throws UsageError with the problem, which never quotes the text
 */
export function parseTyped(text: string, type: VariableType): JsonValue {
  if (type === "STRING") return text;
  if (text === "") throw new UsageError(`type a ${type}; only a STRING can be empty`);
  try {
    return parseAs(text, type);
  } catch (error) {
    throw error instanceof UsageError && type === "NUMBER" ? new UsageError(whyNoNumber(text)) : error;
  }
}

function whyNoNumber(text: string): string {
  if (/\s/.test(text)) return "a NUMBER has no spaces or line breaks in it";
  if (text.includes(",")) return "a NUMBER has a point for decimals, and no thousands separators";
  if (/^[+-]?0\d/.test(text) || text.startsWith("+")) return "a NUMBER starts with no + and no 0 before other digits";
  if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) {
    return "a NUMBER has the range and precision of a double, which this exceeds; use the type STRING";
  }
  return "a NUMBER consists of digits, as in 3000, -1.5 and 1e6; use the type STRING for any other text";
}
