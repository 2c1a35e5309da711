import type { CommanderError } from "commander";
import { AppvarsError, type ErrorCode, StartError } from "../../kit/text/errors.js";
import { RefusedCredentialsError } from "../../model/errors.js";
import { isFolderGone } from "../../tasks/surroundings.js";
import { colorsFor } from "./colors.js";
import type { Io } from "./context.js";
import { writeJsonLine, writeLines } from "./output.js";

/** The exit codes that scripts depend on (docs/commands.md, "Exit codes"). */
export const EXIT_CODES: Record<ErrorCode, number> = {
  unexpected: 1,
  usage: 2,
  not_found: 3,
  unauthorized: 4,
  unreachable: 5,
  rate_limited: 6,
  server_error: 7,
  invalid_data: 8,
};

const NAME = "appvars:";

/** Returns the exit code of the error. */
export async function reportError(
  error: unknown,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  if (isCommanderError(error) && error.exitCode === 0) return 0;
  const { code, message } = describe(error);
  const flags = ownWords(argv);
  if (flags.includes("--json")) {
    writeJsonLine(io.stderr, { error: { code, message } });
  } else if (!isHelp(error)) {
    const { red } = await colorsFor(io.stderr, io.surroundings.env, !flags.includes("--no-color"));
    writeLines(io.stderr, [`${NAME} ${message}`], (text) => red(NAME) + text.slice(NAME.length));
  }
  if (flags.includes("--verbose") && !(error instanceof AppvarsError) && code === "unexpected")
    writeLines(io.stderr, String((error as Error).stack).split("\n"));
  return error instanceof StartError ? error.exitCode : EXIT_CODES[code];
}

/** The words before `--`: those after it belong to another program. */
function ownWords(argv: readonly string[]): readonly string[] {
  return argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
}

function describe(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof AppvarsError) {
    const hint = error instanceof RefusedCredentialsError ? "; appvars doctor finds out why" : "";
    return { code: error.code, message: error.message + hint };
  }
  if (isCommanderError(error)) return { code: "usage", message: usageMessage(error) };
  if (isFolderGone(error))
    return { code: "usage", message: "the current folder has been deleted: change to another" };
  return { code: "unexpected", message: error instanceof Error ? error.message : String(error) };
}

/** Whether no command was given, and commander has printed the help. */
function isHelp(error: unknown): boolean {
  return isCommanderError(error) && error.code === "commander.help";
}

function usageMessage(error: CommanderError): string {
  return isHelp(error) ? "which command? see --help" : error.message.replace(/^error: /, "");
}

/** Checks the shape, since `get` must not load commander for its class. */
function isCommanderError(error: unknown): error is CommanderError {
  return (
    error instanceof Error &&
    "exitCode" in error &&
    "code" in error &&
    String(error.code).startsWith("commander.")
  );
}
