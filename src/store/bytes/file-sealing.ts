import { seal, unseal } from "../../kit/crypto/aes-gcm.js";
import { withName } from "../../kit/files/system-errors.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import {
  type EnvironmentRecord,
  type NamedKey,
  qualifiedName,
  type RotatedPair,
} from "../../model/environment.js";
import { NEEDS_SEAL_KEY } from "../../model/seal-key.js";
import { isPublic, isSealedText, SEALED_PREFIX } from "../../model/variable.js";
import { type Data, mapById } from "../data.js";
import { checkData, parseStoredText } from "../schema/parse-data.js";
import { findSealKey, parseSealKeys } from "./seal-keys.js";

/** Names the place that a secret is sealed for. A merge changes ids. */
type SealContext = readonly [
  list: string,
  application: string,
  environment: string,
  ...names: string[],
];

/**
 * Copies the record that holds a secret.
 *
 * @param label names the secret in messages
 */
type Replace = <T extends object>(
  holder: T,
  field: keyof T,
  context: SealContext,
  label: string,
) => T;

/**
 * The form in which a file is written. By default it stays sealed, and a plain
 * one is refused: somebody without the key may have written it.
 */
export type SealedForm = "sealed" | "plain" | "kept" | undefined;

/** Secrets are padded to a multiple of this length. */
const STEP = 32;

/**
 * Opens and seals the secrets of a data file, or of several that are merged
 * (docs/design/sealing.md). An unchanged secret keeps its sealed text.
 */
export class FileSealing {
  readonly #texts: TextSealing;
  readonly #form: SealedForm;
  /**
   * Sealed strings by contexts and values, with the current key if there are
   * several.
   */
  readonly #opened = new Map<string, string>();
  #isOpenedSealed = false;
  #isOutdated = false;

  /** @param keys the content of a key file @throws UsageError for the keys */
  constructor(keys: string, form?: SealedForm) {
    this.#texts = new TextSealing(keys);
    this.#form = form;
  }

  /** Whether to write the file even if no data has changed. */
  get needsWrite(): boolean {
    return this.isSealed !== this.#isOpenedSealed || (this.#form === "sealed" && this.#isOutdated);
  }

  /** Whether the file is written sealed. */
  get isSealed(): boolean {
    return this.#form === "sealed" || (this.#form !== "plain" && this.#isOpenedSealed);
  }

  /** @throws InvalidDataError that names the record */
  readonly open = (content: Data): Data => {
    this.#isOpenedSealed ||= content.sealed === true;
    if (!content.sealed) {
      if (this.#form === undefined) throw notSealedError();
      return content;
    }
    const { sealed: _, ...data } = mapSecrets(content, (holder, field, context, label) => ({
      ...holder,
      [field]: this.#open(holder[field] as string, context, label),
    }));
    // Types could not be checked while values were sealed.
    return checkData(data, content);
  };

  /** @param resealsAll whether all secrets are sealed with the first of the keys */
  seal(data: Data, resealsAll = this.#form === "sealed"): Data {
    if (!this.isSealed) return data;
    const sealed = mapSecrets(data, (holder, field, context) => ({
      ...holder,
      [field]: this.#seal(holder[field] as JsonValue, context, resealsAll),
    }));
    return { ...sealed, sealed: true };
  }

  /** Whether all secrets are sealed with the first of the keys. */
  isCurrent(content: Data): boolean {
    let isCurrent = content.sealed === true;
    mapSecrets(content, (holder, field) => {
      isCurrent &&= this.#texts.isCurrent(holder[field] as string);
      return holder;
    });
    return isCurrent;
  }

  /** Seals a part of the history. @param context the rest of its line */
  sealContent(content: unknown, context: string): string {
    return this.#texts.seal(JSON.stringify(content), context);
  }

  /** @throws InvalidDataError without a subject */
  openContent(content: unknown, context: string): unknown {
    if (isSealedText(content)) return parseStoredText(this.#texts.open(content, context));
    // An `unseal` that was killed leaves plain content. It can be run again.
    if (this.#isOpenedSealed && this.#form === undefined) throw notSealedError();
    return content;
  }

  #open(text: string, context: SealContext, label: string): JsonValue {
    try {
      const key = JSON.stringify(context);
      const json = this.#texts.open(text, key).trimEnd();
      this.#isOutdated ||= !this.#texts.isCurrent(text);
      if (!this.#texts.isCurrent(this.#opened.get(key + json) ?? ""))
        this.#opened.set(key + json, text);
      return parseStoredText(json) as JsonValue;
    } catch (error) {
      throw withName(`can't be opened: ${label}`, error);
    }
  }

  #seal(value: JsonValue, context: SealContext, resealsAll: boolean): string {
    const key = JSON.stringify(context);
    const json = JSON.stringify(value);
    const before = this.#opened.get(key + json);
    const isUnchanged = before !== undefined && (!resealsAll || this.#texts.isCurrent(before));
    // JSON may end with spaces. Its length would tell true from false.
    return isUnchanged
      ? before
      : this.#texts.seal(json.padEnd(Math.ceil(json.length / STEP) * STEP), key);
  }
}

function notSealedError(): InvalidDataError {
  return new InvalidDataError(
    "is not sealed, and may be from somebody without the key; to seal it: appvars seal",
  );
}

/**
 * Opens a sealed file without its key: values stay sealed, and reading an API
 * secret throws.
 */
export function withUnreadableSecrets(content: Data): Data {
  const { sealed: _, ...data } = mapSecrets(content, (holder, field, _context, label) => {
    const get = () => {
      throw new InvalidDataError(`${label} ${NEEDS_SEAL_KEY}`);
    };
    return field === "api_secret"
      ? Object.defineProperty({ ...holder }, field, { get, enumerable: true })
      : holder;
  });
  return data;
}

/** Replaces the holders of secrets. Values of missing records stay as they are. */
function mapSecrets(data: Data, replace: Replace): Data {
  const environments = mapById(data.environments);
  const variables = mapById(data.variables);
  return {
    ...data,
    environments: data.environments.map((record) => withSecrets(record, record, "", replace)),
    values: data.values.map((record) => {
      const variable = variables.get(record.variable_id);
      const environment = environments.get(record.environment_id);
      if (!variable || !environment || isPublic(variable)) return record;
      const context = ["values", environment.application, environment.name, variable.name] as const;
      const label = `${variable.name} in ${qualifiedName(environment)}`;
      return { ...record, content: replace(record.content, "value", context, label) };
    }),
  };
}

/**
 * @param pair an environment, a named key or an old pair
 *
 * @param name of the key, or `""`
 */
function withSecrets<T extends RotatedPair & { readonly keys?: readonly NamedKey[] }>(
  pair: T,
  environment: EnvironmentRecord,
  name: string,
  replace: Replace,
): T {
  const { api_key, previous, keys } = pair;
  // Nobody without a seal key can change the limits of an API key.
  const { only, valid_until } = pair as Partial<NamedKey>;
  const limits = JSON.stringify([only, valid_until]);
  const { application } = environment;
  const context = ["environments", application, environment.name, name, api_key, limits] as const;
  const label = `the API secret of ${name && `the key ${name} of `}${qualifiedName(environment)}`;
  const replaced = (key: RotatedPair, keyName: string) =>
    withSecrets(key, environment, keyName, replace);
  const copy = {
    ...pair,
    ...(previous && { previous: previous.map((old) => replaced(old, name)) }),
    ...(keys && { keys: keys.map((key) => replaced(key, key.name)) }),
  };
  return replace(copy, "api_secret", context, label);
}

const SEALED_TEXT = new RegExp(`^${SEALED_PREFIX}([\\w-]{11}):([\\w-]+)$`);

/**
 * Seals strings, each for its context: no other one can open it. A sealed text
 * is the prefix, the id of the key, and nonce, ciphertext and tag, in
 * base64url.
 */
class TextSealing {
  readonly #keys: readonly { readonly id: Buffer; readonly bytes: Buffer }[];
  /** The start of strings sealed with the first of the keys. */
  readonly #start: string;

  /** @throws UsageError for the keys */
  constructor(keys: string) {
    const sealKeys = parseSealKeys(keys);
    this.#keys = sealKeys.map((key) => ({
      id: key.id,
      bytes: key.derive("", "appvars data file v1"),
    }));
    this.#start = `${SEALED_PREFIX}${sealKeys[0].id.toString("base64url")}:`;
  }

  seal(text: string, context: string): string {
    return this.#start + seal(text, this.#keys[0]?.bytes as Buffer, context).toString("base64url");
  }

  /** @throws InvalidDataError whose message has no subject */
  open(sealed: string, context: string): string {
    const parts = SEALED_TEXT.exec(sealed)?.slice(1) ?? [];
    const [id, bytes] = parts.map((part) => Buffer.from(part, "base64url"));
    // Several strings decode to the same bytes.
    if (!id || !bytes || [id, bytes].some((each, i) => each.toString("base64url") !== parts[i]))
      throw new InvalidDataError("is not a whole sealed text");
    const text = unseal(bytes, findSealKey(this.#keys, id).bytes, context);
    if (text === undefined)
      throw new InvalidDataError("was changed, or moved from another name or environment");
    return text;
  }

  /** Whether a string is sealed with the first of the keys. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(this.#start);
  }
}
