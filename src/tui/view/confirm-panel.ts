import { scroll } from "../state/cursor.js";
import { layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import type { Confirmation, State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { indented, wrapLine, wrapLines } from "../text/line.js";
import { editLines } from "./edit-lines.js";
import { answerLine } from "./footer-line.js";
import { type PanelContent, scrolledContent } from "./panel-content.js";
import { placeName } from "./places-panel.js";

const QUESTIONS = {
  add: { title: "Add", what: "add", where: "to" },
  edit: { title: "Change", what: "change", where: "in" },
  delete: { title: "Delete", what: "delete", where: "from" },
  undo: { title: "Undo", what: "undo the last edit of", where: "in" },
} as const;

export function confirmPanel(state: State, confirmation: Confirmation, size: Size): PanelContent {
  const { lines, end, page } = parts(state, confirmation, size);
  const content = scrolledContent(
    { title: QUESTIONS[confirmation.purpose].title, isFocused: true, lines },
    confirmation.top,
    Math.max(1, page),
  );
  return { ...content, lines: [...content.lines, ...end.map(indented)] };
}

/** The first visible line after a key of movement. */
export function scrollConfirmation(state: State, confirmation: Confirmation, key: string): number {
  const { lines, page } = parts(state, confirmation, questionSize(layoutOf(state)));
  return scroll(confirmation.top, lines.length, page, key) ?? confirmation.top;
}

/** The lines that scroll, those below them, and how many of the former are visible. */
function parts(state: State, confirmation: Confirmation, size: Size) {
  const width = textColumns(size);
  const { problem, form, edit, purpose } = confirmation;
  const { what, where } = QUESTIONS[purpose];
  const question = `${what} ${visibleText(edit.name)} ${where} ${placeName(state, state.place)}?`;
  const changes = editLines(confirmation, form?.value.text).flatMap((each) => wrapLine(each, width));
  const refusal = problem === undefined ? [] : wrapLines(`✗ ${problem}`, width, "danger");
  const end = [[], ...refusal, answerLine(confirmation, width)];
  return { lines: [...wrapLines(question, width, "accent"), [], ...changes], end, page: size.height - 2 - end.length };
}
