import { UsageError } from "../kit/text/errors.js";
import { parseExactJson } from "../model/variable.js";
import { type Mention, noteRewritten, type Reader, toImportedVariables } from "./reader.js";
import { refuse, type Writer } from "./writer.js";

/**
 * Writes one JSON object. It can hold half a surrogate pair, as an escape (RFC
 * 8259, section 8.2).
 */
export const writeJson: Writer = (entries) => {
  refuse("json", entries);
  // Unlike assignment, fromEntries treats `__proto__` like any other key.
  const object = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
  return `${JSON.stringify(object, null, 2)}\n`;
};

/**
 * Reads one JSON object. Ignores a byte order mark, which Windows programs
 * write.
 */
export const readJson: Reader = (text, { note } = {}) => {
  const object = parseExactJson(text.replace(/^\ufeff/, ""));
  if (typeof object !== "object" || object === null || Array.isArray(object))
    throw new UsageError("must be one JSON object of names and values");
  const entries = toImportedVariables(object);
  noteRewritten(findRewritten(text), note);
  return entries;
};

function findRewritten(text: string): Mention[] {
  const mentions: Mention[] = [];
  let [name, line, depth] = ["", 1, 0];
  for (const [token, colon] of text.matchAll(
    /\n|[[\]{}]|"[^"\\]*(?:\\.[^"\\]*)*"?(\s*:)?|-?\d[\d.eE+-]*/g,
  )) {
    line += token.split("\n").length - 1;
    if (/^[[{]/.test(token)) depth++;
    else if (/^[\]}]/.test(token)) depth--;
    else if (colon && depth === 1) name = JSON.parse(token.slice(0, -colon.length));
    else if (/^[-\d]/.test(token) && String(Number(token)) !== token) mentions.push({ name, line });
  }
  return mentions;
}
