import { isDeepStrictEqual } from "node:util";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { ChangedMeanwhileError, DecryptionError, UsageError } from "../../domain/errors.js";
import {
  isEncrypted,
  isVariableName,
  type JsonValue,
  NAME_RULE,
  textAs,
  type VariableType,
} from "../../domain/variable.js";
import { decrypt, encrypt } from "../../encryption/envelope.js";
import { parseAs } from "../../formats/infer-type.js";
import type { Data, ValueRecord } from "../../store/data.js";
import { setValues, unsetValues } from "../../store/edit-values.js";
import type { EditableStore } from "../../store/store.js";
import { keepingSchemas } from "../../store/value-schema.js";
import type { Assigned, Assignment, Change, Draft, Edit, Editor } from "../../tui/state/ports.js";
import { decryptValues } from "../reading/decryption.js";

/** Changes one environment of a store. @param check called before each edit; an error it throws prevents the edit */
export function createEditor(
  store: EditableStore,
  environment: EnvironmentRecord,
  key: string | undefined,
  check: () => void,
): Editor {
  const name = qualifiedName(environment);
  /** The data that a refused edit has found, which is newer than the snapshot. */
  let found: { readonly data: Data; readonly snapshot: Data } | undefined;
  const current = () => (found?.snapshot === store.snapshot ? found.data : store.snapshot);
  const contentOf = (data: Data) => contents(data, findEnvironment(data.environments, name));
  return {
    prepare(draft) {
      check();
      const now = contentOf(current())(draft.name)?.assigned;
      if (!draft.before && now?.value !== undefined) {
        throw new UsageError(`${draft.name} already has a value: edit that one`);
      }
      const change = draftedChange(draft, now, key);
      const isNothing = isDeepStrictEqual(change.before, change.after) && draft.value !== undefined;
      // Without an edit, the draft is the former variable: the edit restores it.
      return tried({ changes: [isNothing ? draftedChange({ ...draft, before: now }, now, key) : change] });
    },
    assign(assignments) {
      check();
      const present = contentOf(current());
      const changes = assignments.map((assignment) => assignedChange(present(assignment.name), assignment, key));
      return tried({ changes: changes.filter(({ before, after }) => !isDeepStrictEqual(before, after)) });
    },
    renew({ changes }) {
      const present = contentOf(current());
      return { changes: changes.map((change) => renewedChange(change, present(change.name))) };
    },
    async apply(edit) {
      check();
      found = undefined;
      await store.update(async (data) => {
        try {
          return await keepSchemas(applyEdit(data, name, edit), name, edit, key);
        } catch (error) {
          found = { data, snapshot: store.snapshot };
          throw error;
        }
      });
    },
  };

  /** An edit that can be made now: errors are reported before anyone is asked to confirm it. */
  function tried(edit: Edit): Edit {
    applyEdit(current(), name, edit);
    return edit;
  }
}

/** Data after the edit; the same data when there is nothing to change. @throws UsageError, NotFoundError */
function applyEdit(data: Data, environmentName: string, { changes }: Edit): Data {
  const environment = findEnvironment(data.environments, environmentName);
  const contentOf = contents(data, environment);
  for (const { name, before } of changes) {
    if (!isSame(contentOf(name)?.assigned, before)) {
      throw new ChangedMeanwhileError(`${name} has been changed by another program; look at it again`);
    }
  }
  const changed = changes.filter(({ before, after }) => !isDeepStrictEqual(before, after));
  const set = changed.flatMap(({ name, after }) => (after ? [{ name, ...after }] : []));
  const unset = changed.filter(({ before, after }) => before?.value !== undefined && after?.value === undefined);
  const next = set.length > 0 ? setValues(data, environment, set) : data;
  return unset.length > 0
    ? unsetValues(
        next,
        [environment],
        unset.map(({ name }) => name),
      )
    : next;
}

/** @throws UsageError, also for an encrypted value if there is a key */
async function keepSchemas(data: Data, environmentName: string, { changes }: Edit, key: string | undefined) {
  const set = changes.flatMap(({ name, before, after }) => {
    if (after?.value === undefined || isDeepStrictEqual(before?.value, after.value)) return [];
    return [{ name, type: after.type, value: after.value }];
  });
  const plain = await decryptValues(set, (_name, value) => plainIfKnown(value, key));
  return keepingSchemas(data, findEnvironment(data.environments, environmentName), plain);
}

/** The value as it is if another key has encrypted it. */
function plainIfKnown(value: JsonValue, key: string | undefined): JsonValue {
  try {
    return isEncrypted(value) && key !== undefined ? decrypt(value, key) : value;
  } catch {
    return value;
  }
}

function renewedChange(change: Change, content: Content | undefined): Change {
  const { name, before, after } = change;
  const now = content?.assigned;
  if (!isSame(now, before)) return change;
  const isRemoved = now?.value !== undefined && after?.value === undefined;
  if (!isRemoved) return { name, before: now, after };
  return { name, before: now, after: content?.isElsewhere ? { ...(after ?? now), value: undefined } : undefined };
}

/** A variable that is removed with its last value is the same as one without a value. */
function isSame(a: Assigned | undefined, b: Assigned | undefined): boolean {
  return a && b ? isDeepStrictEqual(a, b) : isDeepStrictEqual(a?.value, b?.value);
}

interface Content {
  readonly assigned: Assigned;
  /** Whether another environment has a value of it too. */
  readonly isElsewhere: boolean;
}

/** Returns a function that finds a variable by its name. */
function contents(data: Data, environment: EnvironmentRecord): (name: string) => Content | undefined {
  const own = data.variables.filter(({ application }) => application === environment.application);
  const variables = new Map(own.map((variable) => [variable.name, variable]));
  const isHere = (value: ValueRecord) => value.environment_id === environment.id;
  const values = new Map(data.values.filter(isHere).map((value) => [value.variable_id, value.content.value]));
  const elsewhere = new Set(data.values.flatMap((value) => (isHere(value) ? [] : value.variable_id)));
  return (name) => {
    const variable = variables.get(name);
    if (!variable) return undefined;
    const { id, name: _, application, ...definition } = variable;
    return { assigned: { ...definition, value: values.get(id) }, isElsewhere: elsewhere.has(id) };
  };
}

/** @param now the present variable */
function draftedChange(draft: Draft, now: Assigned | undefined, key: string | undefined): Change {
  const { name, before } = draft;
  if (!isVariableName(name)) throw new UsageError(`a name is ${NAME_RULE}`);
  if (/\p{Cc}/u.test(draft.description)) throw new UsageError("a description is one line, without control characters");
  const type = now && draft.type === before?.type ? now.type : draft.type;
  const description = now && draft.description === before?.description ? now.description : draft.description;
  return { name, before: now, after: { ...before, ...now, type, description, value: draftedValue(draft, now, key) } };
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

function assignedChange(
  content: Content | undefined,
  { name, value, ...definition }: Assignment,
  key: string | undefined,
): Change {
  const before = content?.assigned;
  if (value === undefined)
    return { name, before, after: before && content?.isElsewhere ? { ...before, value } : undefined };
  const next = encryptedLike(before?.value, name, value, textAs(value, definition.type), key);
  return { name, before, after: { ...definition, ...before, type: definition.type, value: next } };
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
