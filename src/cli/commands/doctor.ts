import { Command } from "commander";
import { type Finding, skipped } from "../doctor/finding.js";
import { type Context, print, type StyledLine } from "../output/context.js";
import type { Io } from "../output/io.js";
import { EXIT_CODES } from "../output/report-error.js";
import type { SourceFlags } from "../settings/setting-table.js";
import { addSourceOptions } from "../settings/source-flags.js";

export function doctorCommand(context: Context): Command {
  const command = new Command("doctor")
    .summary("find out why variables can't be read")
    .description(
      "Check the settings and file modes and, for a server, the connection, TLS, the clock, the credentials and the rate " +
        "limit; or check a data file or a store. Reports each check as ok, warning, problem or skipped, and how to fix it. Tries " +
        "everything once. Exits with 0 if there is no problem, otherwise with the exit code of the first problem.",
    )
    .addHelpText("after", "\nExample:\n  appvars doctor --url https://vars.example.com")
    .action((flags) => runDoctor(flags, context));
  return addSourceOptions(command);
}

async function runDoctor(flags: SourceFlags, context: Context): Promise<void> {
  const results = await diagnose(flags, context.io);
  await printReport(results, context);
  const code = results.find((result) => result.code !== undefined)?.code;
  if (code) context.exitCode = EXIT_CODES[code];
}

type CheckResult = Finding & { check: string };

const SERVER_CHECKS = ["reachability", "tls", "clock", "credentials", "rate_limit"];
const UNTRIED = skipped("the server can't be reached with these settings: see settings");

/**
 * Runs all checks that apply to the settings, in the order of the report. Problems become findings, not rejections. Loads
 * their code only here: checking a server needs no store.
 */
async function diagnose(flags: SourceFlags, io: Io): Promise<CheckResult[]> {
  const { checkSettings } = await import("../doctor/check-settings.js");
  const { findings, connection, access } = await checkSettings(flags, io);
  const local = connection?.kind === "local" ? connection : undefined;
  const report: Record<string, Finding | Finding[]> = {
    ...findings,
    ...(local && (await (await import("../doctor/check-local-data.js")).checkLocal(local, io))),
    ...(access && (await (await import("../doctor/check-server.js")).checkServer(access, io))),
    ...(!local && !access && Object.fromEntries(SERVER_CHECKS.map((check) => [check, UNTRIED]))),
  };
  return Object.entries(report).flatMap(([check, found]) => [found].flat().map((finding) => ({ check, ...finding })));
}

/** Widths of the columns. */
const VERDICT = 9;
const CHECK = 14;

function printReport(results: readonly CheckResult[], context: Context): Promise<void> {
  return print(context, {
    json: results.map(({ check, verdict, message, fix = null }) => ({ check, verdict, message, fix })),
    rows: results.map(({ verdict, check, message, fix = "" }) => [verdict, check, message, fix]),
    lines: ({ green, yellow, red, dim }) => {
      const styles = { ok: green, warning: yellow, problem: red, skipped: dim };
      return results.flatMap((result) => reportLines(result, styles[result.verdict]));
    },
  });
}

/** `problem  clock         message`, and the fix on a line below. */
function reportLines({ verdict, check, message, fix }: CheckResult, style: (text: string) => string): StyledLine[] {
  const head = {
    text: `${verdict.padEnd(VERDICT)}${check.padEnd(CHECK)}${message}`,
    style: (line: string) => style(line.slice(0, VERDICT)) + line.slice(VERDICT),
  };
  return fix === undefined ? [head] : [head, { text: `${" ".repeat(VERDICT + CHECK)}-> ${fix}` }];
}
