import { Command } from "commander";
import type { Context } from "../context.js";
import { EXIT_CODES } from "../exit-codes.js";
import type { SourceFlags } from "../settings.js";
import { addSourceOptions } from "../source-options.js";

export function doctorCommand(context: Context): Command {
  const command = new Command("doctor")
    .summary("find out why variables can't be read")
    .description(
      "Check settings, file modes, the way to the server, TLS, the clock, the credentials and the rate limit, or a data " +
        "file. Tells of each whether it is ok, a warning, a problem or skipped, and how to mend it. Tries everything " +
        "once. Exits with 0 when there is no problem, else with the code that the first problem leads to.",
    )
    .addHelpText("after", "\nExample:\n  appvars doctor --url https://vars.example.com")
    .action((flags) => runDoctor(flags, context));
  return addSourceOptions(command);
}

/** Prints the findings, and sets the exit code to that of the first problem. */
export async function runDoctor(flags: SourceFlags, context: Context): Promise<void> {
  const { diagnose } = await import("../doctor/diagnose.js");
  const { printReport } = await import("../doctor/print-report.js");
  const results = await diagnose(flags, context.io);
  await printReport(results, context);
  const first = results.find((result) => result.verdict === "problem");
  if (first) context.exitCode = EXIT_CODES[first.code];
}
