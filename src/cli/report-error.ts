import type { CommanderError } from "commander";
import { AppvarsError, type ErrorCode } from "../domain/errors.js";
import { escapeControls } from "../domain/escape-controls.js";
import { colorsFor } from "./colors.js";
import { EXIT_CODES } from "./exit-codes.js";
import type { Io } from "./io.js";
import { ownWords } from "./separate-command.js";

/** Tells of an error on stderr, as JSON where `--json` asks for it, and returns the exit code it stands for. */
export async function reportError(error: unknown, argv: readonly string[], io: Io): Promise<number> {
  if (isCommanderError(error) && error.exitCode === 0) return 0;
  const { code, message } = describe(error);
  const flags = ownWords(argv);
  if (flags.includes("--json")) {
    io.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
  } else if (!isHelp(error)) {
    const { red } = await colorsFor(io.stderr, io.env, !flags.includes("--no-color"));
    io.stderr.write(`${red("appvars:")} ${message.split("\n").map(escapeControls).join("\n")}\n`);
  }
  if (flags.includes("--verbose") && code === "unexpected") io.stderr.write(`${(error as Error).stack}\n`);
  return EXIT_CODES[code];
}

function describe(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof AppvarsError) return { code: error.code, message: error.message };
  if (isCommanderError(error)) return { code: "usage", message: usageMessage(error) };
  return { code: "unexpected", message: error instanceof Error ? error.message : String(error) };
}

/** Whether no command was given, and commander has printed the help. */
function isHelp(error: unknown): boolean {
  return isCommanderError(error) && error.code === "commander.help";
}

/** commander quotes an unknown flag with what was given to it, which may be meant as a secret. */
function usageMessage(error: CommanderError): string {
  if (isHelp(error)) return "which command? see --help";
  return error.message.replace(/^error: /, "").replace(/'(--?[\w-]+)=.*'/s, "'$1'");
}

/** By its shape: a one-shot `get` has not loaded commander, and is not to load it for this. */
function isCommanderError(error: unknown): error is CommanderError {
  return (
    error instanceof Error && "exitCode" in error && "code" in error && String(error.code).startsWith("commander.")
  );
}
