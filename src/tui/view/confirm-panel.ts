import { scroll } from "../state/cursor.js";
import { layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import type { Confirmation, State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { countText, indented, type Line, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import { editLines } from "./edit-lines.js";
import { answerButtons, noteLines, questionText, requiredText, titleOf } from "./edit-question.js";
import { type PanelContent, requiredLine, scrolledContent } from "./panel-content.js";

export function confirmPanel(state: State, confirmation: Confirmation, size: Size): PanelContent {
  const { lines, end, page } = parts(state, confirmation, size);
  const content = scrolledContent(
    { title: titleOf(confirmation.purpose), isFocused: true, lines },
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

/** Changes that are shown: with more, each key would take noticeably long. */
const MAX_CHANGES = 300;

/** The lines that scroll, those below them, and how many of the former are visible. */
function parts(state: State, confirmation: Confirmation, size: Size) {
  const width = textColumns(size);
  const { problem, back, edit, isRevealed } = confirmation;
  const question = wrapLines(
    questionText(state, confirmation),
    width,
    confirmation.purpose === "delete" ? "danger" : "accent",
  );
  const typed = back.kind === "form" ? back.value.text : undefined;
  const isSingle = edit.changes.length === 1;
  const blocks = edit.changes.slice(0, MAX_CHANGES).map((change) => {
    const heading = isSingle ? [] : [line(visibleText(change.name), "accent")];
    return [...heading, ...editLines(change, isRevealed, typed)].flatMap((each) => wrapLine(each, width));
  });
  const left = edit.changes.length - blocks.length;
  const more = left > 0 ? [line(`… and ${countText(left)} more variables`, "muted")] : [];
  const lines = spaced([question, noteLines(confirmation, width), ...blocks, more]);
  const refusal = problem === undefined ? [] : wrapLines(`✗ ${problem}`, width, "danger");
  const end = [[], ...refusal, ...answerLines(state, confirmation, width)];
  return { lines, end, page: size.height - 2 - end.length };
}

function answerLines(state: State, confirmation: Confirmation, width: number): Line[] {
  if (confirmation.isBusy) return [line("writing…", "muted")];
  const required = requiredText(state, confirmation);
  const buttons = answerButtons(confirmation);
  if (required === undefined) return [buttons];
  return [requiredLine(required, confirmation.typed, width), buttons];
}
