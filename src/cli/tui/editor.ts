import { isDeepStrictEqual } from "node:util";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { DecryptionError, UsageError } from "../../domain/errors.js";
import { isEncrypted, isVariableName, type JsonValue } from "../../domain/variable.js";
import { decrypt, encrypt } from "../../encryption/envelope.js";
import { parseAs } from "../../formats/infer-type.js";
import type { Data } from "../../store/data.js";
import { setValues, unsetValues } from "../../store/edit-values.js";
import type { EditableStore } from "../../store/store.js";
import type { Assigned, Draft, Edit, Editor } from "../../tui/ports.js";

/** Changes one environment of a store. @param key of client-side encrypted values, where there is one */
export function createEditor(store: EditableStore, environment: EnvironmentRecord, key: string | undefined): Editor {
  const name = qualifiedName(environment);
  return {
    prepare(draft) {
      const edit = toEdit(draft, key);
      const before = assignedIn(store.snapshot, findEnvironment(store.snapshot.environments, name), draft.name);
      if (!draft.before && before) throw new UsageError(`there is a value for ${draft.name} already: edit that`);
      // Tried out, so that what would be refused is refused while the form is still there.
      applyEdit(store.snapshot, name, edit);
      return edit;
    },
    apply: (edit) => store.update((data) => applyEdit(data, name, edit)),
  };
}

/** Data after the edit; the same data when there is nothing to change. @throws UsageError, NotFoundError */
function applyEdit(data: Data, environmentName: string, { name, before, after }: Edit): Data {
  const environment = findEnvironment(data.environments, environmentName);
  if (!isDeepStrictEqual(assignedIn(data, environment, name), before)) {
    throw new UsageError(`${name} was changed meanwhile by another program; look at it again`);
  }
  if (isDeepStrictEqual(before, after)) return data;
  return after ? setValues(data, environment, [{ name, ...after }]) : unsetValues(data, environment, [name]);
}

function assignedIn(data: Data, environment: EnvironmentRecord, name: string): Assigned | undefined {
  const variable = data.variables.find((item) => item.name === name && item.application === environment.application);
  const record = data.values.find(
    (item) => item.variable_id === variable?.id && item.environment_id === environment.id,
  );
  if (!variable || !record) return undefined;
  return { type: variable.type, description: variable.description, value: record.content.value };
}

function toEdit({ name, before, type, value, description }: Draft, key: string | undefined): Edit {
  if (!isVariableName(name)) {
    throw new UsageError("a name is 1 to 255 letters, digits, _ . or -, and begins with a letter or _");
  }
  if (/\p{Cc}/u.test(description)) throw new UsageError("a description is one line, without control characters");
  const plain = parseAs(value, type);
  const next = isEncrypted(before?.value) ? encryptedAgain(name, before.value, plain, value, key) : plain;
  return { name, before, after: { type, description, value: next } };
}

/** @param text as it was typed, which is what is encrypted: as `set --encrypt` does it */
function encryptedAgain(
  name: string,
  envelope: string,
  plain: JsonValue,
  text: string,
  key: string | undefined,
): JsonValue {
  if (isEncrypted(plain)) return plain;
  if (key === undefined) {
    throw new UsageError(`${name} is encrypted here: to change it, set APPVARS_ENC_KEY or add --enc-key-file`);
  }
  return text === decrypted(name, envelope, key) ? envelope : encrypt(text, key);
}

/** With another key than before, nobody who has that one could read the value any more. */
function decrypted(name: string, envelope: string, key: string): string {
  try {
    return decrypt(envelope, key);
  } catch (error) {
    throw error instanceof DecryptionError ? new UsageError(`${name} ${error.message}`) : error;
  }
}
