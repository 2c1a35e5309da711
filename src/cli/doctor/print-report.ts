import { escapeControls } from "../../domain/escape-controls.js";
import type { Colors } from "../colors.js";
import type { Context } from "../context.js";
import { escapeField } from "../escape.js";
import type { CheckResult } from "./finding.js";

/** Prints the findings: lines for a person, fields separated by tabs for a program, or JSON. */
export async function printReport(results: readonly CheckResult[], context: Context): Promise<void> {
  if (context.flags.json) return context.printJson(results.map(toJson));
  if (!context.io.stdout.isTTY) return context.print(results.map((result) => `${fields(result)}\n`).join(""));
  const colors = await context.colors();
  context.print(results.map((result) => lines(result, colors)).join(""));
}

function toJson(result: CheckResult): object {
  const { check, verdict, message } = result;
  return { check, verdict, message, fix: fixOf(result) ?? null };
}

/** `problem\tclock\tmessage\tfix`. */
function fields(result: CheckResult): string {
  const { check, verdict, message } = result;
  return [verdict, check, message, fixOf(result) ?? ""].map(escapeField).join("\t");
}

/** `problem  clock         message`, and below it how to mend it. */
function lines(result: CheckResult, colors: Colors): string {
  const paint = { ok: colors.green, warning: colors.yellow, problem: colors.red, skipped: colors.dim }[result.verdict];
  const head = `${paint(result.verdict.padEnd(9))}${result.check.padEnd(14)}${escapeControls(result.message)}\n`;
  const fix = fixOf(result);
  return fix === undefined ? head : `${head}${" ".repeat(23)}-> ${escapeControls(fix)}\n`;
}

function fixOf(result: CheckResult): string | undefined {
  return "fix" in result ? result.fix : undefined;
}
