import { isUtf8 } from "node:buffer";
import { InvalidDataError } from "../../kit/text/errors.js";
import { applyRule, type BrokenRule, isObject, pathText } from "../../kit/text/rules.js";
import { GIT_CONFIG } from "../../kit/text/shell.js";
import { JsonError, parseJson } from "../../kit/text/strict-json.js";
import { NeedsSealKeyError } from "../../model/sealed-text.js";
import { DATA_VERSION, type Data, type List } from "../data.js";
import { DATA_RULE, RECORD_RULES } from "./data-rules.js";
import { checkRelations } from "./relations.js";

/** Opens content whose rules were checked. @throws InvalidDataError with a predicate */
export type OpenContent = (content: Data) => Data | Promise<Data>;

const refuseSealed: OpenContent = (content) => {
  if (content.sealed) throw new NeedsSealKeyError();
  return content;
};

/**
 * Parses the bytes of a data file and fills in defaults.
 *
 * @param open default: a sealed file is refused
 * @throws InvalidDataError with the first broken rule and the record, or the line and column. It
 *   never quotes the file
 */
export function parseData(bytes: Uint8Array, open = refuseSealed): Promise<Data> {
  // In steps, so that the bytes and then the text are released: each is as large as the data.
  const parsing = Promise.resolve(bytes).then(decode).then(parseStoredText);
  return parsing.then((content) => open(checkData(content)));
}

/** @throws InvalidDataError with a predicate as its message */
export function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new InvalidDataError("is not valid UTF-8");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** @throws InvalidDataError with a predicate as its message, which never quotes the text */
export function parseStoredText(text: string): unknown {
  if (text.startsWith("\uFEFF"))
    throw new InvalidDataError("starts with a byte order mark, which JSON does not allow");
  if (text.trim() === "") throw new InvalidDataError("is empty");
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const advice =
      error.kind === "conflict marker"
        ? `; to merge by names, run ${GIT_CONFIG}, then git checkout -m with the file`
        : "";
    throw new InvalidDataError(`is not valid JSON: ${error.message}${advice}`);
  }
}

/**
 * Checks all rules of a data file (docs/data-file.md), and fills in defaults.
 *
 * @param checked checked data that the content was made from
 * @returns the content itself if it is complete, otherwise a copy
 * @throws InvalidDataError with the first broken rule and the record
 */
export function checkData(content: unknown, checked?: Data): Data {
  if (!isObject(content)) throw new InvalidDataError("must contain one JSON object");
  if (!("version" in content))
    throw new InvalidDataError(`has no version; it must be ${DATA_VERSION}`);
  if (content["version"] !== DATA_VERSION)
    throw new InvalidDataError(
      `has an unknown version; this appvars reads version ${DATA_VERSION}`,
    );
  const data = applyRule<Data>(DATA_RULE, content, (broken) => refusal(broken, content), checked);
  checkRelations(data);
  return data;
}

/** @returns an error that begins with the record: `variables[3] (id 4): name is missing` */
function refusal({ path, rule }: BrokenRule, content: Record<string, unknown>): InvalidDataError {
  const [list = "", index, ...fields] = path;
  if (typeof index !== "number") return new InvalidDataError(`${pathText(path)} ${rule}`);
  const { id } = Object((content[list] as unknown[])[index]);
  const record = `${pathText([list, index])}${Number.isSafeInteger(id) ? ` (id ${id})` : ""}`;
  return new InvalidDataError(`${record}: ${`${pathText(fields)} ${rule}`.trimStart()}`);
}

/**
 * Checks one record, but not the records that it refers to, and fills in defaults.
 *
 * @throws InvalidDataError with the broken rule
 */
export function checkRecord(list: List, record: unknown): { readonly id: number } {
  const toError = ({ path, rule }: BrokenRule) =>
    new InvalidDataError(`${pathText([list, ...path])} ${rule}`);
  return applyRule(RECORD_RULES[list], record, toError);
}
