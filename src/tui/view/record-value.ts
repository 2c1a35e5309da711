import type { VariableEntry } from "../../domain/source.js";
import { shownValue } from "../browse/reveal.js";
import type { Revealed, State } from "../state/state.js";
import { type Line, wrapLine } from "../text/line.js";
import { PLACEHOLDERS, valueLines } from "./value-lines.js";

interface Wrapped {
  readonly entry: VariableEntry;
  readonly value: string;
  readonly width: number;
  readonly lines: readonly Line[];
}

/** The last wrapped value: a long one takes time. Kept only while values are revealed, as nothing else holds the key. */
const lastWrapped = new WeakMap<Revealed, Wrapped>();

/** The value of a record, or its placeholder, in lines of at most `width` columns. */
export function recordValue(entry: VariableEntry, state: State, width: number): readonly Line[] {
  const shown = shownValue(entry, state);
  if (shown.kind !== "shown") return wrapLine([PLACEHOLDERS[shown.kind]], width);
  const { revealed } = state;
  const { text: value } = shown;
  const last = revealed && lastWrapped.get(revealed);
  if (last && last.entry === entry && last.value === value && last.width === width) return last.lines;
  const lines = valueLines(value, entry.variable.type).flatMap((each) => wrapLine(each, width));
  if (revealed) lastWrapped.set(revealed, { entry, value, width, lines });
  return lines;
}
