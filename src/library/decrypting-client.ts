import { Client, type ClientOptions as PlainOptions } from "../client/client.js";
import { withSubject } from "../kit/text/errors.js";
import type { JsonValue } from "../kit/text/strict-json.js";
import { DecryptionError, InconsistentAnswersError } from "../model/errors.js";
import { type Page, readAll } from "../model/reads/page.js";
import type { Read, Snapshot, VariableSource } from "../model/reads/read.js";
import { isEnvelope, parseAs, type VariableValue } from "../model/variable.js";
import { guardCallbacks } from "./guard-callbacks.js";

export interface ClientOptions extends PlainOptions {
  /**
   * The key of the values that a client has encrypted. Without it, reading such
   * a value rejects with DecryptionError.
   */
  encryptionKey?: string | undefined;
}

/**
 * Returns a client that reads the environment of the credentials from a server.
 * Opens no connection before the first call.
 *
 * @throws UsageError for invalid options, or a secret that would be sent
 *   without encryption
 */
export function createClient({ encryptionKey, ...options }: ClientOptions): VariableSource {
  return new Client(guardCallbacks(options), {
    wrapSend: (ask) => async (read, attempt) =>
      decryptAnswer(read, await ask(read, attempt), attempt, encryptionKey),
  });
}

/**
 * Decrypts in place, so that a cached answer is decrypted only once.
 *
 * @throws DecryptionError; UsageError for a string that is not of the
 *   variable's type
 */
async function decryptAnswer<T>(
  read: Read,
  answer: T,
  snapshot: Snapshot,
  key: string | undefined,
): Promise<T> {
  const envelopes = locationsOf(read, answer).filter(([, holder, field]) =>
    isEnvelope(holder[field]),
  );
  if (envelopes.length === 0) return answer;
  const variables = await readAll((page) => snapshot.listVariables(page));
  const byKey = new Map(
    variables.flatMap((variable) => [variable.id, variable.name].map((each) => [each, variable])),
  );
  const { decrypt } = await import("../client/envelope.js");
  for (const [of, holder, field] of envelopes) {
    const variable = byKey.get(of);
    if (!variable)
      throw new InconsistentAnswersError("the server has a value without its variable");
    const { name, type } = variable;
    if (key === undefined)
      throw new DecryptionError(
        `${name} is encrypted: pass its key to createClient as encryptionKey`,
      );
    const text = decrypt(String(holder[field]), key, name);
    holder[field] = withSubject(name, () => parseAs(text, type));
  }
  return answer;
}

type ValueSlot = [variable: number | string, holder: Record<string, JsonValue>, field: string];

/** Lists the values in an answer, each with the id or the name of its variable. */
function locationsOf(read: Read, answer: unknown): ValueSlot[] {
  if (read.kind === "content") return [[read.name, answer as ValueSlot[1], "value"]];
  if (read.kind === "valuesByName") {
    const { data } = answer as { data: ValueSlot[1] };
    return Object.keys(data).map((name) => [name, data, name]);
  }
  if (!read.kind.startsWith("value")) return [];
  const records =
    read.kind === "values" ? (answer as Page<VariableValue>).data : [answer as VariableValue];
  return records.map(({ variable_id, content }) => [
    variable_id,
    content as unknown as ValueSlot[1],
    "value",
  ]);
}
