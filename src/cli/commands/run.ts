import { constants } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import { checkSeconds } from "../../client/options.js";
import { UsageError } from "../../domain/errors.js";
import { isVariableName } from "../../domain/variable.js";
import { addCacheOption } from "../cache-option.js";
import type { Context } from "../context.js";
import { createDecrypt } from "../decryption.js";
import { runProgram } from "../run-program.js";
import type { WatchRules } from "../run-watched.js";
import { addSourceOptions } from "../source-options.js";

export function runCommand(context: Context): Command {
  const command = new Command("run")
    .summary("run a command with the variables in its environment")
    .description(
      "Run a command with the values in its environment: texts as they are, anything else as compact JSON. It has our " +
        "stdin, terminal and signals, and its exit code is ours: 128+n when signal n ended it, 126 when it can't be " +
        "executed, 127 when it is not found. Variables by which programs would be taken over (PATH, LD_PRELOAD, " +
        "NODE_OPTIONS and so on) are left out.",
    )
    .argument("<command...>", "the command and its arguments, after --")
    .option("--only <names>", "these variables, separated by commas", parseNames)
    .option("--prefix <text>", "put this before each name", parsePrefix)
    .option("--preserve-env", "what is set already wins")
    .addOption(new Option("--pristine", "pass on nothing of this environment but PATH").conflicts("preserveEnv"))
    .option("--allow-reserved", "pass on also what programs are taken over by")
    .option("--redact", "strike out the values in the command's output (see below)")
    .option("--watch", "act when the variables change")
    .option("--interval <seconds>", "from one look to the next, with --watch (default 5)", parseInterval)
    .option("--on-change <action>", "restart, or signal:HUP, with --watch (default restart)", parseReaction)
    .addHelpText(
      "after",
      "\n--redact finds a value as it is, quoted for a shell, escaped for JSON or a URL, and in base64.\n" +
        "The output then is no terminal and no file: /dev/stdout can't be opened.\n" +
        "\nExample:\n  appvars run --only DATABASE_URL,PORT -- node server.js",
    )
    .action(async (words: [string, ...string[]], { only, prefix = "", watch, interval, onChange, cache, ...flags }) => {
      const { preserveEnv = false, pristine = false, allowReserved = false, redact = false, ...sourceFlags } = flags;
      const rules = watchRules(watch, interval, onChange);
      const options = { command: words, only, prefix, preserveEnv, pristine, allowReserved, redact, watch: rules };
      const decrypt = await createDecrypt(sourceFlags, context);
      const open = () => context.openSource(sourceFlags, { cache, live: watch === true });
      context.exitCode = await runProgram(options, open, decrypt, context);
    });
  return addSourceOptions(addCacheOption(command));
}

function watchRules(
  watch: true | undefined,
  interval: number | undefined,
  onChange: WatchRules["onChange"] | undefined,
): WatchRules | undefined {
  if (watch) return { interval: interval ?? 5, onChange: onChange ?? "restart" };
  if (interval !== undefined) throw new UsageError("--interval needs --watch");
  if (onChange !== undefined) throw new UsageError("--on-change needs --watch");
  return undefined;
}

/** Of repeated flags all names count. */
function parseNames(text: string, previous: string[] = []): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("It must be names separated by commas.");
  return [...previous, ...names];
}

function parsePrefix(text: string): string {
  if (text === "" || isVariableName(text)) return text;
  throw new InvalidArgumentError("It must be what a variable's name may begin with.");
}

function parseInterval(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  checkSeconds("--interval", seconds, 0.1);
  return seconds;
}

function parseReaction(text: string): WatchRules["onChange"] {
  if (text === "restart") return text;
  const name = /^signal:(?:SIG)?([A-Z0-9]+)$/.exec(text)?.[1];
  const signal = `SIG${name}` as NodeJS.Signals;
  if (name && signal in constants.signals) return signal;
  throw new InvalidArgumentError("It must be restart, or a signal such as signal:HUP.");
}
