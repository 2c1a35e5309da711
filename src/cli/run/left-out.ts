import { isReservedName } from "../../domain/reserved-names.js";
import type { Context } from "../output/context.js";

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
