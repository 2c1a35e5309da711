import { type Finding, notChecked } from "../../tasks/doctor/finding.js";
import type { SourceFlags } from "../../tasks/settings/setting-table.js";
import type { Caller } from "../../tasks/surroundings.js";
import { defineCommand } from "../arguments/command.js";
import { SOURCE_FLAGS } from "../arguments/source-flags.js";
import { type Context, print } from "../output/context.js";
import { EXIT_CODES } from "../output/report-error.js";

export const definition = defineCommand({
  description:
    "Check the settings and file modes and, for a server, the connection, TLS, the clock, the credentials and the rate " +
    "limit; or check a data file or a store. Reports each check as ok, warning, problem or skipped, and how to fix it. Tries " +
    "everything once. Exits with 0 if there is no problem, otherwise with the exit code of the first problem.",
  flags: SOURCE_FLAGS,
  examples: ["appvars doctor --url https://vars.example.com"],
  async run(_, flags, context) {
    const report = Object.entries(await diagnose(flags, context));
    const results = report.flatMap(([check, found]) =>
      [found].flat().map((finding) => ({ check, ...finding })),
    );
    await printReport(results, context);
    const code = results.find((result) => result.code !== undefined)?.code;
    if (code) context.exitCode = EXIT_CODES[code];
  },
});

/**
 * Runs all checks that apply to the settings, in the order of the report. Checking a server loads
 * no code of a store.
 */
async function diagnose(
  flags: SourceFlags,
  asking: Caller,
): Promise<Record<string, Finding | Finding[]>> {
  const { checkSettings } = await import("../../tasks/doctor/check-settings.js");
  const { findings, connection, access, caller } = await checkSettings(flags, asking);
  if (connection?.kind === "local")
    return {
      ...findings,
      ...(await (
        await import("../../tasks/doctor/check-local-data.js")
      ).checkLocal(connection, caller)),
    };
  if (access)
    return {
      ...findings,
      ...(await (
        await import("../../tasks/doctor/check-server.js")
      ).checkServer(access, caller.surroundings)),
    };
  const untried = ["reachability", "tls", "clock", "credentials", "rate_limit"];
  return {
    ...findings,
    ...Object.fromEntries(untried.map((check) => [check, notChecked("settings")])),
  };
}

/** `problem  clock         message`, and the fix on a line below. */
function printReport(
  results: readonly (Finding & { check: string })[],
  context: Context,
): Promise<void> {
  return print(context, {
    json: results.map(({ check, verdict, message, fix = null }) => ({
      check,
      verdict,
      message,
      fix,
    })),
    rows: results.map(({ verdict, check, message, fix = "" }) => [verdict, check, message, fix]),
    lines: ({ green, yellow, red, dim }) => {
      const styles = { ok: green, warning: yellow, problem: red, skipped: dim };
      return results.flatMap(({ verdict, check, message, fix }) => {
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
