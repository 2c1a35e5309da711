import { scroll } from "../state/cursor.js";
import { layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import type { Confirmation, State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { indented, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import { editLines } from "./edit-lines.js";
import { answerLine } from "./footer-line.js";
import { type PanelContent, scrolledContent, variablesText } from "./panel-content.js";
import { placeName } from "./places-panel.js";

const QUESTIONS = {
  add: { title: "Add", what: "add", where: "to" },
  edit: { title: "Change", what: "change", where: "in" },
  delete: { title: "Delete", what: "delete", where: "from" },
  "take-over": { title: "Take over", what: "take over", where: "to" },
  import: { title: "Import", what: "import", where: "into" },
  undo: { title: "Undo", what: "undo the last edit of", where: "in" },
  redo: { title: "Redo", what: "make the edit again of", where: "in" },
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
  const { problem, back, place, edit, isRevealed, purpose } = confirmation;
  const { what, where } = QUESTIONS[purpose];
  const question = `${what} ${variablesText(edit.changes)} ${where} ${placeName(state, place)}?`;
  const typed = back.kind === "form" ? back.value.text : undefined;
  const isSingle = edit.changes.length === 1;
  const blocks = edit.changes.map((change) => {
    const heading = isSingle ? [] : [line(visibleText(change.name), "accent")];
    return [...heading, ...editLines(change, isRevealed, typed)].flatMap((each) => wrapLine(each, width));
  });
  const refusal = problem === undefined ? [] : wrapLines(`✗ ${problem}`, width, "danger");
  const end = [[], ...refusal, answerLine(confirmation, width)];
  return { lines: spaced([wrapLines(question, width, "accent"), ...blocks]), end, page: size.height - 2 - end.length };
}
