import * as v from "valibot";
import { UsageError } from "../domain/errors.js";
import { type JsonValue, valueText } from "../domain/variable.js";
import { quote, type ReadEntry, refuseBadNames } from "./entry.js";
import { nativeType } from "./infer-type.js";
import { parseJson } from "./json.js";

/*
 * Readers of what other tools print. These tools store texts, whose types are inferred like those of a dotenv file. Only
 * Vault can hold other values, which keep their types.
 */

const DOPPLER = "doppler secrets download --no-file --format json";
const VAULT = "vault kv get -format json";
const SSM = "aws ssm get-parameters-by-path --output json";
const INFISICAL = "infisical export --format json";

// Not a schema for all names: valibot drops some, such as `constructor`.
const names = v.custom<Record<string, JsonValue>>(
  (input) => typeof input === "object" && input !== null && !Array.isArray(input),
);
const dopplerSecret = v.union([v.string(), v.looseObject({ computed: v.string() })]);

/** What Doppler adds to the secrets of every config, to say where they come from. */
const DOPPLER_OWN = ["DOPPLER_PROJECT", "DOPPLER_CONFIG", "DOPPLER_ENVIRONMENT"];

/** Reads `doppler secrets --json` too, with the values that have been computed. @param note says what is left out */
export function readDoppler(text: string, note: (text: string) => void): ReadEntry[] {
  const secrets = Object.entries(parseAs(names, parse(text, DOPPLER), DOPPLER));
  const own = DOPPLER_OWN.filter((name) => secrets.some(([found]) => found === name));
  if (own.length > 0) note(`left out, because Doppler adds them: ${own.join(", ")}`);
  const wanted = secrets.filter(([name]) => !own.includes(name));
  return entriesFrom(
    wanted.map(([name, item]) => {
      const secret = parseAs(dopplerSecret, item, DOPPLER, [name]);
      return [name, typeof secret === "string" ? secret : secret.computed];
    }),
  );
}

const vaultSecret = v.looseObject({ data: names });
const vaultMetadata = v.looseObject({ version: v.number(), destroyed: v.optional(v.unknown()) });
const vaultVersion = v.strictObject({ data: v.nullable(names), metadata: vaultMetadata });

/** Version 2 of the engine has the values in `data.data`, beside their metadata. */
export function readVault(text: string): ReadEntry[] {
  const { data } = parseAs(vaultSecret, parse(text, VAULT), VAULT);
  const version = v.safeParse(vaultVersion, data);
  if (!version.success) return entriesFrom(Object.entries(data));
  const { data: values, metadata } = version.output;
  if (values !== null) return entriesFrom(Object.entries(values));
  throw new UsageError(
    metadata.destroyed === true
      ? "this version of the secret is destroyed; to read another one: vault kv get -version"
      : "this version of the secret is deleted; to restore it: vault kv undelete",
  );
}

const ssmAnswer = v.looseObject({
  Parameters: v.array(v.looseObject({ Name: v.string(), Value: v.string(), Type: v.string() })),
  NextToken: v.nullish(v.unknown()),
});

/** The first bytes in hex: of KMS for standard parameters, of the AWS Encryption SDK (1 and 2) for advanced ones. */
const CIPHERTEXT = /^(010[12]0[123]00|01800[0-3]|020[45]78)/;

/** Bytes; less than what KMS adds to a text: key id, initialization vector, tag. */
const MIN_CIPHERTEXT = 64;

/** Whether a text is a ciphertext in base64, as no secret is that people or programs make up. */
function isCiphertext(text: string): boolean {
  const bytes = Buffer.from(text, "base64");
  return (
    bytes.length >= MIN_CIPHERTEXT && CIPHERTEXT.test(bytes.toString("hex", 0, 4)) && bytes.toString("base64") === text
  );
}

/** Names are paths. The folder that they have in common is left out. */
export function readSsm(text: string): ReadEntry[] {
  const { Parameters: parameters, NextToken: next } = parseAs(ssmAnswer, parse(text, SSM), SSM);
  if (next !== undefined && next !== null) {
    throw new UsageError("parameters are missing, as NextToken says; run aws without --max-items and --no-paginate");
  }
  const encrypted = parameters.filter(({ Type, Value }) => Type === "SecureString" && isCiphertext(Value));
  if (encrypted.length > 0) {
    const which = encrypted.map(({ Name }) => quote(Name)).join(", ");
    throw new UsageError(`these are encrypted: ${which}; run aws with --with-decryption`);
  }
  const paths = parameters.map(({ Name }) => Name.split("/"));
  const common = commonFolders(paths);
  return entriesFrom(
    parameters.map(({ Name, Value }, index) => [paths[index]?.slice(common).join("_") ?? Name, Value, Name]),
  );
}

/** How many of their first segments all paths share; the last segment of a path is no folder. */
function commonFolders(paths: readonly (readonly string[])[]): number {
  const [first = []] = paths;
  let common = first.length - 1;
  for (const path of paths) {
    const differing = path.findIndex((segment, index) => segment !== first[index]);
    common = Math.min(common, path.length - 1, differing < 0 ? common : differing);
  }
  return common;
}

const infisicalSecrets = v.array(v.looseObject({ key: v.string(), value: v.string() }));

/** Reads both formats. */
export function readInfisical(text: string): ReadEntry[] {
  if (!isInfisicalJson(text)) return readInfisicalDotenv(text);
  const secrets = parseAs(infisicalSecrets, parse(text, INFISICAL), INFISICAL);
  return entriesFrom(secrets.map(({ key, value }) => [key, value]));
}

/** JSON begins as no line of dotenv does. */
export function isInfisicalJson(text: string): boolean {
  return /^\ufeff?\s*\[/.test(text);
}

const ASSIGNMENT = /(?:export )?([^\s='"#]+)='/y;

/**
 * Reads lines of `NAME='value'`. Infisical escapes neither quotes nor line breaks, so a value is taken to end at the
 * first line that ends in a quote.
 *
 * @throws UsageError if no assignment follows that line, or one that is not the first is inside of a value
 */
function readInfisicalDotenv(text: string): ReadEntry[] {
  // Infisical ends a line with LF; with CRLF, a shell of Windows has written the file.
  const lines = (/\r\n$/.test(text) ? text.replaceAll("\r\n", "\n") : text).replace(/^\ufeff/, "").trimEnd();
  const content = `${lines}\n`;
  const values: [name: string, value: string][] = [];
  let start = 0;
  while (start < lines.length) {
    ASSIGNMENT.lastIndex = start;
    const [head = "", name] = ASSIGNMENT.exec(content) ?? [];
    const end = content.indexOf("'\n", start + head.length);
    const value = content.slice(start + head.length, end);
    if (name === undefined || end < 0 || /\n(?:export )?[^\s='"#]+='/.test(value)) {
      const line = content.slice(0, start).split("\n").length;
      throw new UsageError(`line ${line}: where values begin and end is not certain; use "${INFISICAL}"`);
    }
    values.push([name, value]);
    start = end + 2;
  }
  return entriesFrom(values);
}

/** @throws UsageError, for text such as YAML with the command that prints JSON */
function parse(text: string, command: string): JsonValue {
  const json = text.replace(/^\ufeff/, "");
  if (!/^\s*[[{]/.test(json)) throw new UsageError(`not a JSON object or array, which "${command}" prints`);
  return parseJson(json);
}

/** @throws UsageError that names the first wrong member, and never quotes a value */
function parseAs<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  command: string,
  above: readonly string[] = [],
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  const path = [...above, ...(result.issues[0].path ?? []).map(({ key }) => String(key))];
  throw new UsageError(`not what "${command}" prints${path.length > 0 ? `: see ${path.map(quote).join(" > ")}` : ""}`);
}

/**
 * @param values with what each is called in the tool, if that is not its name
 * @throws UsageError that lists the names that occur twice, or those that a variable can't have
 */
function entriesFrom(values: readonly (readonly [name: string, value: JsonValue, origin?: string])[]): ReadEntry[] {
  const origins = new Map<string, string[]>();
  for (const [name, , origin] of values) {
    const others = origins.get(name);
    if (others) others.push(origin ?? name);
    else origins.set(name, [origin ?? name]);
  }
  const twice = [...origins].filter(([, all]) => all.length > 1);
  if (twice.length > 0) throw new UsageError(`more than one value for: ${twice.map(describeOrigins).join(", ")}`);
  refuseBadNames([...origins.keys()], "; rename them where they come from, or remove them from the file");
  return values.map(([name, value]) => {
    const entry = { name, value: valueText(value) };
    return typeof value === "string" ? entry : { ...entry, type: nativeType(value) };
  });
}

/** `"a_B" (from "/a/B", "/a_B")`. */
function describeOrigins([name, origins]: [string, string[]]): string {
  const others = origins.some((origin) => origin !== name) ? ` (from ${origins.map(quote).join(", ")})` : "";
  return `${quote(name)}${others}`;
}
