import { parse } from "dotenv";
import { UsageError } from "../domain/errors.js";
import { valueText } from "../domain/variable.js";
import type { Entry } from "./entry.js";
import { firstOf, loneSurrogate, nul, type Refusal, refuse } from "./refuse.js";

/** Text that means itself, unquoted, to dotenv, to shells and to Docker Compose. */
const PLAIN = /^[A-Za-z0-9_./:@%+,=-]*$/;

/**
 * After a line that reads on for a closing quote, each of these would close it. A line that is read back unchanged in
 * front of them is so in front of any other.
 */
const TRAP = "\n'\n\"\n`\n";

const protoName: Refusal = ({ name }) => (name === "__proto__" ? "dotenv drops this name" : undefined);

const unquotable: Refusal = (entry) =>
  line(entry) === undefined ? "no quoting of dotenv gives its value back" : undefined;

/**
 * `NAME=value` lines for the `dotenv` package. It has no escape for a quote, so every way of quoting is tried with
 * dotenv's own `parse` until one gives back the value; then the whole file is parsed. A shell can source most of the
 * files too: the ways that it would read otherwise come last.
 */
export function writeDotenv(entries: readonly Entry[]): string {
  refuse("dotenv", entries, firstOf(protoName, nul, loneSurrogate, unquotable));
  const text = entries.map((entry) => `${line(entry)}\n`).join("");
  const parsed = parse(text);
  const lost = entries.filter(({ name, value }) => parsed[name] !== valueText(value)).map(({ name }) => name);
  if (lost.length > 0) throw new UsageError(`these can't be written as dotenv together: ${lost.join(", ")}`);
  return text;
}

/** The first candidate that dotenv reads back, on its own and whatever follows. */
function line({ name, value }: Entry): string | undefined {
  const text = valueText(value);
  for (const candidate of candidates(text)) {
    const attempt = `${name}=${candidate}`;
    if (parse(attempt)[name] === text && parse(attempt + TRAP)[name] === text) return attempt;
  }
  return undefined;
}

function* candidates(text: string): Generator<string> {
  if (PLAIN.test(text)) yield text;
  if (!text.includes("'")) yield quoted("'", text);
  if (!text.includes('"')) yield quoted('"', text.replaceAll("\r", "\\r"));
  const oneLine = !/[\r\n#]/.test(text);
  if (oneLine) yield text;
  // A shell would run what is between backticks.
  if (!text.includes("`")) yield quoted("`", text);
  // dotenv takes the outermost quotes off a line that it could not read as quoted.
  if (oneLine) yield* [`'${text}'`, `"${text}"`];
}

/**
 * dotenv takes a backslash in front of the closing quote for an escape if it finds another quote to close with. The
 * comment offers it one that can't be the last, as text follows.
 */
function quoted(quote: string, text: string): string {
  return `${quote}${text}${quote}${text.endsWith("\\") ? ` #${quote}-` : ""}`;
}
