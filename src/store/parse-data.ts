import { type BaseIssue, safeParse } from "valibot";
import { InvalidDataError } from "../domain/errors.js";
import { DATA_VERSION, type Data } from "./data.js";
import { checkRules } from "./data-rules.js";
import { DATA_SCHEMA, OWN_DATA_SCHEMA } from "./data-schema.js";
import { locateSyntaxError } from "./locate-syntax-error.js";

/**
 * The data in the bytes of a data file, with defaults filled in.
 *
 * @throws InvalidDataError that names the first rule it breaks and the record, or the line and column; the
 *   message never quotes the file, which is full of secrets
 */
export function parseData(bytes: Uint8Array): Promise<Data> {
  // Steps, not calls within calls: each lets go of what it was given, and the bytes of a large file are many.
  return decodeUtf8(bytes)
    .then(parseJson)
    .then((content) => check(OWN_DATA_SCHEMA, content));
}

/**
 * The same rules for data that is already an object. What it returns has records of its own.
 *
 * @throws InvalidDataError
 */
export function checkData(content: unknown): Data {
  return check(DATA_SCHEMA, content);
}

async function parseJson(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // JSON.parse's own message quotes the text around the error.
    throw new InvalidDataError(`is not valid JSON: ${await locateSyntaxError(text)}`);
  }
}

function check(schema: typeof DATA_SCHEMA, content: unknown): Data {
  checkVersion(content);
  // The message is replaced because valibot's own quotes what it received.
  const result = safeParse(schema, content, { abortEarly: true, message: expectation });
  if (!result.success) throw new InvalidDataError(describeIssue(result.issues[0]));
  const data = result.output as Data;
  checkRules(data);
  return data;
}

async function decodeUtf8(bytes: Uint8Array): Promise<string> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InvalidDataError("is not valid UTF-8");
  }
  if (text.startsWith("\uFEFF")) throw new InvalidDataError("starts with a byte order mark, which JSON does not allow");
  if (text.trim() === "") throw new InvalidDataError("is empty");
  return text;
}

function checkVersion(content: unknown): void {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new InvalidDataError("must hold one JSON object");
  }
  if (!("version" in content)) throw new InvalidDataError(`has no version; it must be ${DATA_VERSION}`);
  if (content.version !== DATA_VERSION) {
    throw new InvalidDataError(`has an unknown version; this appvars reads version ${DATA_VERSION}`);
  }
}

function expectation({ expected, type }: BaseIssue<unknown>): string {
  if (expected === "never") return "is not a known field";
  if (type === "strict_object" && expected !== "Object") return "is missing";
  return `must be ${expected === "Object" ? "an object" : `of the type ${expected?.toLowerCase()}`}`;
}

/** `variables[3] (id 7): name must match …` */
function describeIssue(issue: BaseIssue<unknown>): string {
  const [list, index, ...fields] = issue.path ?? [];
  if (list === undefined || index === undefined) return `${list?.key ?? "it"} ${issue.message}`;
  const { id } = (index.value ?? {}) as { id?: unknown };
  const record = `${list.key}[${index.key}]${Number.isSafeInteger(id) ? ` (id ${id})` : ""}`;
  const field = fields.map((item) => item.key).join(".");
  return field === "" ? `${record}: ${issue.message}` : `${record}: ${field} ${issue.message}`;
}
