import { parse } from "dotenv";
import { UsageError } from "../domain/errors.js";
import { checkNames } from "./check-names.js";
import type { ReadEntry } from "./entry.js";

/**
 * The entries that the `dotenv` package reads from the text, their values as text: the caller gives them a type. Of two
 * lines for one name the last counts, and lines that are no assignment are passed over, both as in dotenv.
 *
 * @throws UsageError that lists names that no variable can have, or that dotenv drops
 */
export function readDotenv(text: string): ReadEntry[] {
  if (assignsProto(text)) throw new UsageError("these can't be read from dotenv: __proto__ (dotenv drops this name)");
  const entries = Object.entries(parse(text)).map(([name, value]) => ({ name, value }));
  checkNames(entries.map(({ name }) => name));
  return entries;
}

/** dotenv assigns to an ordinary object, where `__proto__` leaves no trace; under another name of its length it does. */
function assignsProto(text: string): boolean {
  if (!text.includes("__proto__")) return false;
  let standIn = "__proto_a";
  while (text.includes(standIn)) standIn += "a";
  return standIn in parse(text.replaceAll("__proto__", standIn));
}
