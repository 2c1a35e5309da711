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
const SSM = "aws ssm get-parameters-by-path";
const INFISICAL = "infisical export --format json";

// Not a schema for all names: valibot drops some, such as `constructor`.
const names = v.custom<Record<string, JsonValue>>(
  (input) => typeof input === "object" && input !== null && !Array.isArray(input),
);
const dopplerSecret = v.union([v.string(), v.looseObject({ computed: v.string() })]);

/** Reads `doppler secrets --json` too, with the values that have been computed. */
export function readDoppler(text: string): ReadEntry[] {
  const secrets = Object.entries(parseAs(names, parse(text), DOPPLER));
  return entriesFrom(
    secrets.map(([name, item]) => {
      const secret = parseAs(dopplerSecret, item, DOPPLER, [name]);
      return [name, typeof secret === "string" ? secret : secret.computed];
    }),
  );
}

const vaultSecret = v.looseObject({ data: names });
const vaultVersion = v.strictObject({ data: v.nullable(names), metadata: v.looseObject({ version: v.number() }) });

/** Version 2 of the engine has the values in `data.data`, beside their metadata. */
export function readVault(text: string): ReadEntry[] {
  const { data } = parseAs(vaultSecret, parse(text), VAULT);
  const version = v.safeParse(vaultVersion, data);
  const values = version.success ? version.output.data : data;
  if (values === null) throw new UsageError("this version of the secret is deleted; to restore it: vault kv undelete");
  return entriesFrom(Object.entries(values));
}

const ssmAnswer = v.looseObject({
  Parameters: v.array(v.looseObject({ Name: v.string(), Value: v.string(), Type: v.string() })),
  NextToken: v.nullish(v.unknown()),
});

/** What KMS encrypts begins so, in base64. */
const CIPHERTEXT = /^AQICA/;

/** Names are paths. The folder that they have in common is left out. */
export function readSsm(text: string): ReadEntry[] {
  const { Parameters: parameters, NextToken: next } = parseAs(ssmAnswer, parse(text), SSM);
  if (next !== undefined && next !== null) {
    throw new UsageError("parameters are missing, as NextToken says; run aws without --max-items and --no-paginate");
  }
  const encrypted = parameters.filter(({ Type, Value }) => Type === "SecureString" && CIPHERTEXT.test(Value));
  if (encrypted.length > 0) {
    const which = encrypted.map(({ Name }) => quote(Name)).join(", ");
    throw new UsageError(`these are encrypted: ${which}; run aws with --with-decryption`);
  }
  const paths = parameters.map(({ Name }) => Name.split("/"));
  const common = commonFolders(paths);
  return entriesFrom(paths.map((path, index) => [path.slice(common).join("_"), parameters[index]?.Value ?? ""]));
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

export function readInfisical(text: string): ReadEntry[] {
  const secrets = parseAs(infisicalSecrets, parse(text), INFISICAL);
  return entriesFrom(secrets.map(({ key, value }) => [key, value]));
}

function parse(text: string): JsonValue {
  return parseJson(text.replace(/^\ufeff/, ""));
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

/** @throws UsageError that lists the names that occur twice, or those that a variable can't have */
function entriesFrom(values: readonly (readonly [name: string, value: JsonValue])[]): ReadEntry[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const [name] of values) (seen.has(name) ? twice : seen).add(name);
  if (twice.size > 0) throw new UsageError(`more than one value for: ${[...twice].map(quote).join(", ")}`);
  refuseBadNames([...seen], "; rename them where they come from, or remove them from the file");
  return values.map(([name, value]) => {
    const entry = { name, value: valueText(value) };
    return typeof value === "string" ? entry : { ...entry, type: nativeType(value) };
  });
}
