import { parseArgs } from "node:util";
import type { OutputFlags } from "../output/context.js";
import type { SourceFlags } from "./setting.js";
import { definitionOf, placeOf, SETTING_NAMES, type SettingName } from "./setting-table.js";

/** `api-key` to `apiKey`. */
const SETTING_OF_FLAG: ReadonlyMap<string, SettingName> = new Map(
  SETTING_NAMES.flatMap((name) => {
    const flag = placeOf(name, "flag");
    return flag ? [[flag.slice(2), name] as const] : [];
  }),
);

export interface ParsedWords {
  /** What commander would parse the flags of a source to. */
  flags: SourceFlags;
  /** The other flags that were given, by their long names. */
  others: Set<string>;
  positionals: string[];
}

/**
 * Parses words as commander does, for callers that can't wait for commander to load.
 *
 * @param others long names of flags without a value, with their letters
 * @param strict whether an unknown flag is an error
 * @throws TypeError
 */
export function parseWords(words: string[], others: Record<string, string | undefined>, strict: boolean): ParsedWords {
  const switches = Object.entries(others).map(([name, short]) => [name, { type: "boolean", ...(short && { short }) }]);
  const sources = [...SETTING_OF_FLAG].map(([flag, name]) => [
    flag,
    { type: definitionOf(name).is === "switch" ? "boolean" : "string" },
  ]);
  const options = Object.fromEntries([...switches, ...sources]);
  const { values, positionals } = parseArgs({ args: words, options, strict, allowPositionals: true });
  const given = Object.entries(values);
  return {
    flags: Object.fromEntries(given.map(([name, value]) => [SETTING_OF_FLAG.get(name) ?? name, value])),
    others: new Set(given.flatMap(([name]) => (name in others ? [name] : []))),
    positionals,
  };
}

interface QuickWords extends ParsedWords {
  output: OutputFlags;
}

/** The flags that may stand before the command, with their letters. */
const OUTPUT_SWITCHES = { json: undefined, quiet: "q", verbose: undefined, "no-color": undefined };

const OUTPUT_WORDS = Object.entries(OUTPUT_SWITCHES).flatMap(([name, letter]) => [
  `--${name}`,
  ...(letter ? [`-${letter}`] : []),
]);

/**
 * Parses a call of `command` that has only flags of its source, for the output, and `switches`. Undefined for any other,
 * which commander parses or reports.
 *
 * @param switches long names of flags without a value, with their letters
 */
export function parseQuickWords(
  command: string,
  argv: readonly string[],
  switches: Record<string, string | undefined> = {},
): QuickWords | undefined {
  const start = argv.findIndex((word) => !OUTPUT_WORDS.includes(word));
  const flags = argv.filter((word) => word.startsWith("--")).map((word) => word.split("=", 1)[0]);
  // commander reports a flag that is repeated.
  if (argv[start] !== command || new Set(flags).size < flags.length) return undefined;
  try {
    const parsed = parseWords(argv.toSpliced(start, 1), { ...OUTPUT_SWITCHES, ...switches }, true);
    const on = (name: "json" | "quiet" | "verbose") => parsed.others.has(name) && { [name]: true };
    return {
      ...parsed,
      output: { color: !parsed.others.has("no-color"), ...on("json"), ...on("quiet"), ...on("verbose") },
    };
  } catch {
    return undefined;
  }
}
