import { constants } from "node:os";
import { parseSecondsText } from "../../../kit/text/duration.js";
import { MAX_SECONDS } from "../../../model/defaults.js";
import { isVariableName } from "../../../model/variable.js";
import { CREDENTIAL_VARIABLES } from "../../../tasks/run/child-environment.js";
import { runFromFlags } from "../../../tasks/run/run-program.js";
import type { WatchRules } from "../../../tasks/run/run-watched.js";
import { defineCommand } from "../../arguments/command.js";
import { requireValid } from "../../arguments/flag-arguments.js";
import { ArgumentError } from "../../arguments/parse-line.js";
import { allowReserved, SELECTION_FLAGS, strictFlags } from "../../arguments/selection-flags.js";
import { CACHE_FLAGS, SOURCE_FLAGS } from "../../arguments/source-flags.js";

const MIN_INTERVAL_S = 0.1;

export const definition = defineCommand({
  description: `Run a command with the values in its
    environment: strings as they are, other types as compact
    JSON. The command reads stdin and gets Ctrl-C, Ctrl-Z and
    signals as if it was started directly. Exits with the
    command's exit code, 128+n if signal n ended it, 126 if it
    can't be executed, 127 if it is not found. Leaves out
    reserved names, which can make programs run other code
    (PATH, LD_PRELOAD and others), with a warning. Removes the
    credentials of appvars (${CREDENTIAL_VARIABLES.join(", ")})
    from the environment.`,
  arguments: { "<command...>": "the command and its arguments, after --" },
  flags: {
    ...SELECTION_FLAGS,
    "--prefix <text>": {
      help: "prepend this to each name, after --name-transformer",
      parse: parsePrefix,
    },
    "-f, --env-file <file>": {
      help: "your own values in dotenv syntax, which win; can be repeated (see below)",
      parse: (text: string) =>
        requireValid([text], text !== "-" && text !== "", "a file; stdin is left for the command"),
      repeatable: true,
    },
    "--preserve-env": "keep variables that are already set",
    "--pristine": {
      help: "pass on only PATH from the current environment",
      conflicts: ["preserveEnv", "passCredentials"],
    },
    "--pass-credentials": "also pass the credentials, for a command that calls appvars itself",
    "--exec": {
      help: "replace appvars with the command, which then has its process id (see below)",
      conflicts: ["redact", "watch"],
    },
    "--redact": "replace the values in the command's output with *** (see below)",
    "--on-change <action>": {
      help: "with --watch: restart, or a signal such as signal:HUP (default restart)",
      parse: parseReaction,
    },
    "--watch[=interval]": {
      help: "restart the command when a value changes; checks every 5s by default",
      preset: "5",
      parse: parseInterval,
    },
    ...strictFlags("start nothing"),
    ...allowReserved("pass on"),
    ...CACHE_FLAGS,
    ...SOURCE_FLAGS,
  },
  details: `\
--only and --prefix don't apply to the files of -f, the last of which wins.
--exec needs Node 22.15, 23.11 or newer, and is not for Windows.
--redact finds quoted and escaped values too. The command's output is then a
pipe: it can't open /dev/stdout.`,
  examples: ["appvars run --only DATABASE_URL,PORT -- node server.js"],
  async run({ command }, flags, context) {
    context.exitCode = await runFromFlags(command, flags, context);
  },
});

function parsePrefix(text: string): string {
  if (text === "" || isVariableName(text)) return text;
  throw new ArgumentError("It must be a valid beginning of a variable name.");
}

function parseInterval(text: string): number {
  const seconds = parseSecondsText(text);
  const range = `from ${MIN_INTERVAL_S} to ${MAX_SECONDS} seconds`;
  const isValid = seconds >= MIN_INTERVAL_S && seconds <= MAX_SECONDS;
  return requireValid(seconds, isValid, `seconds or a time such as 5s or 5m, ${range}`);
}

function parseReaction(text: string): WatchRules["onChange"] {
  if (text === "restart") return text;
  const name = /^signal:(?:SIG)?([A-Z0-9]+)$/.exec(text)?.[1];
  const signal = `SIG${name}` as NodeJS.Signals;
  if (name && signal in constants.signals) return signal;
  throw new ArgumentError("It must be restart, or a signal such as signal:HUP.");
}
