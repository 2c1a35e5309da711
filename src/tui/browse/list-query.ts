import { VARIABLE_TYPES, type VariableType } from "../../domain/variable.js";
import { searchWords } from "../text/fuzzy.js";

const FLAGS = ["missing", "encrypted", "changed"] as const;
type Flag = (typeof FLAGS)[number];

/** The conditions of a filter. A variable must match each word and flag, and one of the types. */
export interface Query {
  /** In lower case. */
  readonly words: readonly string[];
  /** Those that must be in the name: `name:port`. */
  readonly nameWords: readonly string[];
  readonly flags: ReadonlySet<Flag>;
  /** All if there is none. */
  readonly types: ReadonlySet<VariableType>;
  /** Why nothing can match. */
  readonly problem: string | undefined;
}

/** `!missing`, `!encrypted` and so on, with the types. */
const CONDITIONS = [...FLAGS, ...VARIABLE_TYPES.map((type) => type.toLowerCase())];

/**
 * The words of a filter: `!missing` is a condition, `type:json` a type and `name:port` a word of the name; all others
 * are searched in name and description. The start of a condition is enough.
 */
export function parseFilter(filter: string): Query {
  const words: string[] = [];
  const nameWords: string[] = [];
  const flags = new Set<Flag>();
  const types = new Set<VariableType>();
  let problem: string | undefined;
  for (const word of searchWords(filter)) {
    const [, kind, text = ""] = /^(!|type:|name:)(.*)$/u.exec(word) ?? [];
    if (kind === undefined) words.push(word);
    else if (text === "") continue;
    else if (kind === "name:") nameWords.push(text);
    else {
      const flag = kind === "!" ? FLAGS.find((each) => each.startsWith(text)) : undefined;
      const type = VARIABLE_TYPES.find((each) => each.toLowerCase().startsWith(text));
      if (flag) flags.add(flag);
      else if (type) types.add(type);
      else problem ??= `there is no ${word}; use ${known(kind)}`;
    }
  }
  return { words, nameWords, flags, types, problem };
}

function known(kind: string): string {
  if (kind === "type:") return `one of ${CONDITIONS.slice(FLAGS.length).join(", ")}`;
  return CONDITIONS.map((each) => `!${each}`).join(", ");
}
