import { UsageError } from "../domain/errors.js";
import { checkNames } from "./check-names.js";
import type { ReadEntry } from "./entry.js";
import { parseJson } from "./parse-json.js";

/**
 * The entries of one JSON object of names and values. A byte order mark in front, which Windows programs write, is
 * passed over.
 *
 * @throws UsageError with line and column for what is no JSON, equal keys and inexact numbers; or that lists bad names
 */
export function readJson(text: string): ReadEntry[] {
  const object = parseJson(text.replace(/^\ufeff/, ""));
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    throw new UsageError("must be one JSON object of names and values");
  }
  checkNames(Object.keys(object));
  return Object.entries(object).map(([name, value]) => ({ name, value }));
}
