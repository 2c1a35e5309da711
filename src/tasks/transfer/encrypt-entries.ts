import { UsageError } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { createMatcher } from "../../model/name-matcher.js";
import { isUnreadable, type NamedValue, textAs } from "../../model/variable.js";
import type { Settings } from "../settings/resolve-settings.js";
import { createDecrypt, createEncrypt } from "../sources/decryption.js";

export interface EncryptedFile {
  file: string;
  /** Names and globs; `true` for all values. */
  encrypt: true | readonly string[] | undefined;
}

/**
 * Encrypts the plain values that `--encrypt` selects. A current value with the same text stays, so
 * that importing a file twice changes nothing.
 *
 * @throws UsageError for a name that is not imported: a mistyped one would leave a value plain
 */
export async function createEncryption(
  { file, encrypt }: EncryptedFile,
  settings: Settings,
): Promise<
  (entries: readonly NamedValue[], current: readonly NamedValue[]) => readonly NamedValue[]
> {
  if (encrypt === undefined) return (entries) => entries;
  const toEnvelope = await createEncrypt(settings, file === "-" ? "the values" : undefined);
  const decrypt = await createDecrypt(settings);
  const wanted = createMatcher(encrypt === true ? ["*"] : encrypt);
  const reusable = (current: JsonValue | undefined, name: string, text: string) => {
    try {
      return isUnreadable(current) && decrypt(name, current) === text ? current : undefined;
    } catch {
      // Another key has encrypted it.
      return undefined;
    }
  };
  return (entries, current) => {
    const unmatched = encrypt === true ? [] : wanted.unmatched(entries.map(({ name }) => name));
    if (unmatched.length > 0)
      throw new UsageError(`--encrypt ${unmatched.join(", ")} matches no imported variable`);
    const currentValues = new Map(current.map(({ name, value }) => [name, value]));
    return entries.map((entry) => {
      const { name, type, value } = entry;
      if (!wanted.matches(name) || isUnreadable(value)) return entry;
      const text = textAs(value, type);
      return { ...entry, value: reusable(currentValues.get(name), name, text) ?? toEnvelope(text) };
    });
  };
}
