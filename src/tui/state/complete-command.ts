import { VARIABLE_TYPES } from "../../domain/variable.js";
import type { Command } from "./command.js";
import { otherPlaces } from "./pick.js";
import { SORTS, type State } from "./state.js";
import { type TextField, textField } from "./text-field.js";

/** As many candidates as are named when there are several. */
const MOST_NAMED = 8;

/**
 * Completes what is typed after `:` as far as it is certain: the word, or what follows it. Where that adds nothing, it
 * says what it could be.
 */
export function completeCommand(
  state: State,
  text: string,
  commands: readonly Command[],
): { field: TextField; choices: string | undefined } {
  const [, word = "", space = "", typed = ""] = /^\s*(\S*)(\s*)(.*)$/su.exec(text) ?? [];
  if (space === "") {
    const { full, choices, isOnly } = complete(
      word,
      commands.map(({ name }) => name),
    );
    const takesMore = isOnly && commands.some(({ name, argument }) => name === full && argument !== undefined);
    return { field: textField(takesMore ? `${full} ` : full), choices };
  }
  const { full, choices } = complete(typed, argumentsOf(state, word));
  return { field: textField(`${word} ${full}`), choices };
}

function argumentsOf(state: State, word: string): readonly string[] {
  const { places } = state;
  if (word === "open") return places.map(({ name }) => name);
  if (word === "diff") return otherPlaces(state).flatMap((index) => places[index]?.name ?? []);
  if (word === "type") return ["all", ...VARIABLE_TYPES.map((type) => type.toLowerCase())];
  return word === "sort" ? SORTS : [];
}

function complete(typed: string, candidates: readonly string[]): { full: string; choices?: string; isOnly: boolean } {
  const fitting = [...new Set(candidates)].filter((candidate) => hasPrefix(candidate, typed));
  const [first, ...others] = fitting;
  if (first === undefined) return { full: typed, isOnly: false };
  if (others.length === 0) return { full: first, isOnly: true };
  const full = others.reduce(commonPrefix, first);
  if (full.length > typed.length) return { full, isOnly: false };
  const more = fitting.length > MOST_NAMED ? " and more" : "";
  return { full: typed, choices: `${fitting.slice(0, MOST_NAMED).join(", ")}${more}`, isOnly: false };
}

function hasPrefix(text: string, prefix: string): boolean {
  return text.toLowerCase().startsWith(prefix.toLowerCase());
}

function commonPrefix(a: string, b: string): string {
  const characters = Array.from(a);
  let prefix = "";
  for (const character of characters) {
    if (!hasPrefix(b, prefix + character)) break;
    prefix += character;
  }
  return prefix;
}
