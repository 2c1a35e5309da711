import type { State } from "../state/state.js";
import type { TextField } from "../state/text-field.js";
import { countText } from "../text/count-text.js";
import { lineWidth } from "../text/fit-line.js";
import { textInput } from "../text/text-input.js";
import { keyLine } from "./key-line.js";
import { modeKeys } from "./mode-keys.js";
import { TextLine } from "./text-lines.js";

interface FilterLineProps {
  readonly state: State;
  readonly field: TextField;
}

/** The filter while it is typed, how many pass it, and the keys for it. */
export function FilterLine({ state: { columns, list, loaded }, field }: FilterLineProps) {
  const count = `  ${countText(list.rows.length)} of ${countText(loaded.entries.length)} `;
  const keys = keyLine(modeKeys("filter"), columns);
  const width = columns - 2 - count.length - lineWidth(keys);
  return (
    <TextLine
      line={[{ text: " /", role: "accent" }, ...textInput(field, width), { text: count, role: "muted" }, ...keys]}
    />
  );
}
