import { isDeepStrictEqual } from "node:util";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { DecryptionError, UsageError } from "../../domain/errors.js";
import { isEncrypted, isVariableName, NAME_RULE } from "../../domain/variable.js";
import { decrypt, encrypt } from "../../encryption/envelope.js";
import { parseAs } from "../../formats/infer-type.js";
import type { Data } from "../../store/data.js";
import { setValues, unsetValues } from "../../store/edit-values.js";
import type { EditableStore } from "../../store/store.js";
import type { Assigned, Draft, Edit, Editor } from "../../tui/state/ports.js";

/** Changes one environment of a store. @param check called before each edit; an error it throws prevents the edit */
export function createEditor(
  store: EditableStore,
  environment: EnvironmentRecord,
  key: string | undefined,
  check: () => void,
): Editor {
  const name = qualifiedName(environment);
  return {
    prepare(draft) {
      check();
      const edit = toEdit(draft, key);
      const before = assignedIn(store.snapshot, findEnvironment(store.snapshot.environments, name), draft.name);
      if (!draft.before && before) throw new UsageError(`${draft.name} already has a value: edit that one`);
      // Tried here, so that errors are reported while the form is still open.
      applyEdit(store.snapshot, name, edit);
      return edit;
    },
    async apply(edit) {
      check();
      await store.update((data) => applyEdit(data, name, edit));
    },
  };
}

/** Data after the edit; the same data when there is nothing to change. @throws UsageError, NotFoundError */
function applyEdit(data: Data, environmentName: string, { name, before, after }: Edit): Data {
  const environment = findEnvironment(data.environments, environmentName);
  if (!isDeepStrictEqual(assignedIn(data, environment, name), before)) {
    throw new UsageError(`${name} has been changed by another program; look at it again`);
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
  if (!isVariableName(name)) throw new UsageError(`a name is ${NAME_RULE}`);
  if (/\p{Cc}/u.test(description)) throw new UsageError("a description is one line, without control characters");
  const plain = parseAs(value, type);
  // What is typed in the encrypted form is kept, as by `set --encrypt`.
  const isEncryptedAgain = isEncrypted(before?.value) && !isEncrypted(plain);
  const next = isEncryptedAgain ? encryptAgain(name, before.value, value, key) : plain;
  return { name, before, after: { type, description, value: next } };
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
