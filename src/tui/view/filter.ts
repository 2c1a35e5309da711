import type { State, Step } from "../state/state.js";
import { step } from "../state/work.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { countText, type Line, lineWidth } from "../text/line.js";
import { editKeyName, type Key } from "../widgets/key.js";
import { editLine, type TextField, textField, textInput } from "../widgets/text-field.js";
import { hints, type KeyHint, keyLine, pop, push, type Screen } from "./screen.js";

/** A list that a text filters. The functions get the state without the filter's own screen. */
export interface Filterable {
  /** Filters by a text that has just been typed: the cursor goes to the best match. */
  apply(state: State, text: string): Step;
  /** Brings back the filter and the cursor from before. */
  cancel(state: State): Step;
  /** Moves in the list, after a key such as `down`. */
  move(state: State, key: string): Step;
  /** How many rows are shown, and how many there are. */
  counts(state: State): readonly [found: number, all: number];
}

interface TypedFilter {
  readonly field: TextField;
  readonly list: Filterable;
}

/** Lets the person type the filter of the list on the screen. @param filter the present one */
export function openFilter(state: State, filter: string, list: Filterable): Step {
  return step(push(state, FILTER, { field: textField(filter), list }));
}

const FILTER: Screen<TypedFilter> = {
  name: "filter",
  key: filterKey,
  input: (state, { field, list }) => {
    const [found, all] = list.counts(pop(state));
    return [typedLine("/", field, `  ${countText(found)} of ${countText(all)} `, FILTER_KEYS, state.columns)];
  },
  hints: () => FILTER_KEYS,
  more: hints("↑↓ move in the list, PgUp a page up, PgDn a page down"),
  types: () => true,
  isLine: true,
};

const FILTER_KEYS = hints("Enter keep, Esc cancel");
const HELP_KEY = hints("F1 help");

/** ` /port   1 of 3  Enter keep  Esc cancel`: a text that is typed, what it finds, and as many keys as fit, how to leave last. */
export function typedLine(
  sign: string,
  field: TextField,
  found: string,
  keys: readonly KeyHint[],
  columns: number,
): Line {
  const room = columns - 2 - found.length;
  const needed = Math.min(room, textWidth(visibleText(field.text)) + 1);
  const line = keyLine([...keys.slice(0, -1), ...HELP_KEY], room - needed, keys.slice(-1));
  const input = textInput(field, room - lineWidth(line));
  return [{ text: ` ${sign}`, role: "accent" }, ...input, { text: found, role: "muted" }, ...line];
}

/** Keys that move in the list meanwhile. */
const MOVES = ["up", "down", "pageup", "pagedown"];

/** The list follows the filter with each key. */
function filterKey(state: State, typed: TypedFilter, key: Key): Step {
  const { field, list } = typed;
  const name = editKeyName(key);
  const below = pop(state);
  if (name === "enter" || (name === "backspace" && field.text === "")) return step(below);
  if (name === "escape") return list.cancel(below);
  if (MOVES.includes(name)) return over(list.move(below, name), typed);
  const edited = editLine(field, key);
  const isSame = edited.text === field.text;
  return over(isSame ? step(below) : list.apply(below, edited.text), { ...typed, field: edited });
}

function over([state, work]: Step, typed: TypedFilter): Step {
  return [push(state, FILTER, typed), work];
}
