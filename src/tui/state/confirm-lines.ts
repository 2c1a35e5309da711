import { type Line, line } from "../text/line.js";
import { visibleText } from "../text/visible-text.js";
import { wrapLine, wrapWords } from "../text/wrap-line.js";
import { editLines } from "./edit-lines.js";
import type { Confirmation, State } from "./state.js";

/** What an edit will do, in lines of at most `width` columns; a long one is scrolled. */
export function confirmLines(state: State, confirmation: Confirmation, width: number): readonly Line[] {
  const question = wrapWords(questionText(state, confirmation), width).map((text) => line(text, "accent"));
  const typed = confirmation.form?.value.text;
  return [...question, [], ...editLines(confirmation, typed).flatMap((each) => wrapLine(each, width))];
}

/** Why it could not be made, above the keys that answer. */
export function refusalLines({ problem }: Confirmation, width: number): readonly Line[] {
  const told = problem === undefined ? [] : wrapWords(`✗ ${visibleText(problem)}`, width);
  return [[], ...told.map((text) => line(text, "danger"))];
}

function questionText({ places, place }: State, { purpose, edit }: Confirmation): string {
  const where = visibleText(places[place]?.name ?? "");
  const name = visibleText(edit.name);
  switch (purpose) {
    case "add":
      return `add ${name} to ${where}?`;
    case "edit":
      return `change ${name} in ${where}?`;
    case "delete":
      return `delete ${name} from ${where}?`;
    case "undo":
      return `undo the last edit of ${name} in ${where}?`;
  }
}
