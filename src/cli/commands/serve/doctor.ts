import type { Finding } from "../../../tasks/doctor/finding.js";
import { defineCommand } from "../../arguments/command.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";
import type { Context } from "../../output/context.js";
import { print } from "../../output/output.js";
import { EXIT_CODES } from "../../output/report-error.js";

export const definition = defineCommand({
  description: `Check the settings and file modes and, for a server, the
    connection, TLS, the clock, the credentials and the rate limit; or check a
    data file or a store. Reports each check as ok, warning, problem or skipped,
    and how to fix it. Tries everything once. Exits with 0 if there is no
    problem, otherwise with the exit code of the first problem.`,
  flags: SOURCE_FLAGS,
  examples: ["appvars doctor --url https://vars.example.com"],
  async run(_, flags, context) {
    const { diagnose } = await import("../../../tasks/doctor/diagnose.js");
    const report = Object.entries(await diagnose(flags, context));
    const findings = report.flatMap(([check, found]) =>
      [found].flat().map((finding) => ({ check, ...finding })),
    );
    await printReport(findings, context);
    const { code } = findings.find((finding) => finding.code) ?? {};
    if (code) context.exitCode = EXIT_CODES[code];
  },
});

/** `problem  clock         message`, and the fix on a line below. */
function printReport(
  findings: readonly (Finding & { check: string })[],
  context: Context,
): Promise<void> {
  return print(context, {
    json: findings.map(({ check, verdict, message, fix = null }) => ({
      check,
      verdict,
      message,
      fix,
    })),
    rows: findings.map(({ verdict, check, message, fix = "" }) => [verdict, check, message, fix]),
    lines: ({ green, yellow, red, dim }) => {
      const styles = { ok: green, warning: yellow, problem: red, skipped: dim };
      return findings.flatMap(({ verdict, check, message, fix }) => {
        const text = `${verdict.padEnd(9)}${check.padEnd(14)}${message}`;
        const style = (line: string) => styles[verdict](line.slice(0, 9)) + line.slice(9);
        return [
          { text, style },
          ...(fix === undefined ? [] : [{ text: `${" ".repeat(23)}-> ${fix}` }]),
        ];
      });
    },
  });
}
