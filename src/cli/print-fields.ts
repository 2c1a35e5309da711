import { escapeControls } from "../domain/escape-controls.js";
import type { Context } from "./context.js";
import { escapeField } from "./escape.js";

/** Prints a line for each field of one record: in two columns on a terminal, else separated by a tab. */
export function printFields(fields: readonly (readonly [label: string, text: string])[], context: Context): void {
  const isTerminal = context.io.stdout.isTTY ?? false;
  for (const [label, text] of fields) {
    context.print(isTerminal ? `${label.padEnd(13)}${escapeControls(text)}\n` : `${label}\t${escapeField(text)}\n`);
  }
}
