import { parseArgs } from "node:util";
import { SETTING_NAMES, SETTINGS, type SourceFlags } from "../../tasks/settings/setting-table.js";
import { OUTPUT_WORDS, type OutputFlags } from "../output/context.js";

/** Long names of flags without a value, with their letters. */
type Switches = Record<string, string | undefined>;

export interface ParsedWords {
  /** The flags of a source, in commander's parsed form. */
  flags: SourceFlags;
  /** The other flags that were given, by their long names. */
  others: Record<string, unknown>;
  positionals: string[];
}

/**
 * Parses words as commander does, for callers that can't wait for commander to load.
 *
 * @param isStrict whether an unknown or repeated flag is an error; commander reports it
 * @throws TypeError
 */
export function parseWords(args: string[], switches: Switches, isStrict: boolean): ParsedWords {
  // Then Node does not have to load parseArgs.
  if (!/^-/m.test(args.join("\n"))) return { flags: {}, others: {}, positionals: args };
  const options: Record<string, { type: "boolean" | "string"; short?: string }> = {};
  for (const name in switches)
    options[name] = { type: "boolean", ...(switches[name] && { short: switches[name] }) };
  for (const name of SETTING_NAMES) {
    const { flag, is } = SETTINGS[name];
    const type = is === "switch" ? "boolean" : "string";
    if (flag) options[flag.slice(2)] = { type, ...(name === "env" && { short: "e" }) };
  }
  const config = { args, options, strict: isStrict, allowPositionals: true, tokens: true } as const;
  const { values: others, positionals, tokens } = parseArgs(config);
  let given = 0;
  for (const { kind } of tokens) if (kind === "option") given++;
  if (isStrict && given > Object.keys(others).length) throw new TypeError("a flag is repeated");
  const flags: SourceFlags = {};
  for (const name of SETTING_NAMES) {
    const value = others[SETTINGS[name].flag?.slice(2) ?? ""];
    if (value !== undefined) flags[name] = value;
  }
  return { flags, others, positionals };
}

const OUTPUT_SWITCHES: Switches = {
  json: undefined,
  quiet: "q",
  verbose: undefined,
  "no-color": undefined,
};

/**
 * Parses a call of `command` that has only flags of its source, for the output, and `switches`.
 * Undefined for any other, which commander parses or reports.
 */
export function parseQuickWords(
  command: string,
  argv: readonly string[],
  switches: Switches = {},
): (ParsedWords & { output: OutputFlags }) | undefined {
  let start = 0;
  while (OUTPUT_WORDS.includes(argv[start] ?? "")) start++;
  // parseArgs takes a `-` among letters for the end of the flags.
  if (argv[start] !== command || argv.some((word) => /^-[^-]+-/.test(word))) return undefined;
  try {
    const parsed = parseWords(argv.toSpliced(start, 1), { ...OUTPUT_SWITCHES, ...switches }, true);
    const {
      json,
      quiet,
      verbose,
      "no-color": isPlain = false,
    } = parsed.others as Record<string, boolean>;
    return { ...parsed, output: { json, quiet, verbose, color: !isPlain } };
  } catch {
    return undefined;
  }
}
