import { parse } from "dotenv";
import { UsageError } from "../domain/errors.js";
import { checkNames } from "./check-names.js";
import type { ReadEntry } from "./entry.js";

/**
 * The entries that the `dotenv` package reads from the text, their values as text: the caller gives them a type. Of two
 * lines for one name the last counts, as in dotenv.
 *
 * @throws UsageError that lists names that no variable can have, or that dotenv drops, and lines that it passes over
 */
export function readDotenv(text: string): ReadEntry[] {
  if (assignsProto(text)) throw new UsageError("these can't be read from dotenv: __proto__ (dotenv drops this name)");
  const entries = Object.entries(parse(text)).map(([name, value]) => ({ name, value }));
  checkNames(entries.map(({ name }) => name));
  const unread = unreadLines(text, entries);
  if (unread.length > 0) {
    throw new UsageError(
      `neither an assignment nor a comment: line${unread.length > 1 ? "s" : ""} ${unread.join(", ")}`,
    );
  }
  return entries;
}

/** dotenv assigns to an ordinary object, where `__proto__` leaves no trace; under another name of its length it does. */
function assignsProto(text: string): boolean {
  if (!text.includes("__proto__")) return false;
  let standIn = "__proto_a";
  while (text.includes(standIn)) standIn += "a";
  return standIn in parse(text.replaceAll("__proto__", standIn));
}

/** The numbers of lines that gave nothing: `A B=1` for one, which dotenv passes over without a word. */
function unreadLines(text: string, entries: readonly ReadEntry[]): number[] {
  // A line without an assignment of its own may well be within the quotes of one.
  const quoted = entries.flatMap(({ value }) => (String(value).includes("\n") ? [String(value)] : [])).join("\n");
  const isRead = (line: string) => {
    if (line === "" || line.startsWith("#") || Object.keys(parse(line)).length > 0) return true;
    const content = line.replace(/['"`]\s*(#.*)?$/, "");
    return quoted.includes(content) || quoted.includes(content.replaceAll("\\n", "\n").replaceAll("\\r", "\r"));
  };
  const lines = text.replaceAll(/\r\n?/g, "\n").split("\n");
  return lines.flatMap((line, index) => (isRead(line.trim()) ? [] : [index + 1]));
}
