import { layoutOf } from "./layout.js";
import { recordLines } from "./record-lines.js";
import type { State } from "./state.js";
import { textColumns } from "./text-columns.js";

/** How many lines the record under the cursor has in its panel as it is now. */
export function recordLineCount(state: State): number {
  const { record } = layoutOf(state);
  return record ? recordLines(state, textColumns(record)).length : 0;
}
