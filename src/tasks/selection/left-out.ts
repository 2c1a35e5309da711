import { UsageError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import { isReservedName } from "../../model/reserved-names.js";
import type { Caller } from "../surroundings.js";

export function isLeftOut(name: string, allowed: readonly string[]): boolean {
  return isReservedName(name) && !allowed.includes(name);
}

/** Refuses reserved names that were asked for, where a warning would not do. */
export function refuseReserved(asked: readonly string[], allowed: readonly string[]): void {
  const names = asked.filter((name) => isLeftOut(name, allowed));
  if (names.length === 0) return;
  throw new UsageError(
    `--only names reserved variables, which can make programs run other code: ${names.join(", ")}; ` +
      command`to pass them on, add --allow-reserved ${names.join(",")}`,
  );
}

export function warnLeftOut(names: readonly string[], { warn }: Caller): void {
  if (names.length === 0) return;
  warn(
    `left out ${names.join(", ")}: variables with these names can make programs run other code; ` +
      command`to keep them, add --allow-reserved ${names.join(",")}`,
  );
}
