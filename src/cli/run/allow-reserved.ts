import { type Command, InvalidArgumentError } from "commander";
import { isReservedName } from "../../domain/reserved-names.js";
import { isVariableName } from "../../domain/variable.js";
import type { Context } from "../output/context.js";
import { parseNames } from "../settings/arguments.js";

/** Adds `--allow-reserved`, which parses to a list of names. */
export function addAllowReserved(command: Command, effect: string): Command {
  return command.option(
    "--allow-reserved <names>",
    `${effect} these reserved names, separated by commas`,
    parseReserved,
  );
}

/** A name that is not reserved is a typing mistake, or the command after a flag whose value is missing. */
function parseReserved(text: string, previous?: readonly string[]): string[] {
  const names = parseNames(text, previous);
  const other = names.find((name) => !isVariableName(name) || !isReservedName(name));
  if (other === undefined) return names;
  throw new InvalidArgumentError(`"${other}" is not a reserved name. It must be reserved names separated by commas.`);
}

export function isLeftOut(name: string, allowed: readonly string[]): boolean {
  return isReservedName(name) && !allowed.includes(name);
}

export function warnLeftOut(names: readonly string[], { warn }: Pick<Context, "warn">): void {
  if (names.length === 0) return;
  warn(
    `left out ${names.join(", ")}: variables of such names can make programs run other code; ` +
      `to keep them, add --allow-reserved ${names.join(",")}`,
  );
}
