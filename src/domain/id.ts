import { UsageError } from "./errors.js";

/**
 * The id itself, if it is one: a positive safe integer.
 *
 * @throws UsageError otherwise
 */
export function checkId(id: number): number {
  if (!Number.isSafeInteger(id) || id < 1) throw new UsageError("id must be a positive whole number");
  return id;
}
