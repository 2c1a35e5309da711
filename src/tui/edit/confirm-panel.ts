import { scroll, scrollText } from "../state/cursor.js";
import { layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import type { Confirmation } from "../state/modes.js";
import type { Edit } from "../state/ports.js";
import { isBeingWritten, type State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { countText, indented, type Line, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import { editLines } from "../view/edit-lines.js";
import { type PanelContent, requiredLine, scrolledLines } from "../view/panel-content.js";
import { answerButtons, noteLines, questionText, requiredText, titleOf } from "./edit-question.js";

export function confirmPanel(state: State, confirmation: Confirmation, size: Size): PanelContent {
  const { lines, end, page } = parts(state, confirmation, size);
  const visible = scrolledLines(lines, confirmation.top, page);
  const title = titleOf(confirmation.purpose);
  const left = lines.length - scrollText(confirmation.top, lines.length, page, 0) - page;
  // A confirmation of hidden lines has to say so.
  const below = left > 0 ? line(`↓ ${countText(left)} more ${left === 1 ? "line" : "lines"}`, "warning") : [];
  return { ...visible, title, isFocused: true, lines: [...visible.lines, ...[below, ...end].map(indented)] };
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
  const { problem, purpose } = confirmation;
  const question = wrapLines(questionText(state, confirmation), width, purpose === "delete" ? "danger" : "accent");
  const lines = [...spaced([question, noteLines(confirmation, width)]), [], ...changeLines(confirmation, width)];
  const refusal = problem === undefined ? [] : wrapLines(`✗ ${problem}`, width, "danger");
  const end = [...refusal, ...answerLines(state, confirmation, width)];
  // With the line before the end.
  return { lines, end, page: Math.max(1, size.height - 3 - end.length) };
}

interface Shown extends Pick<Confirmation, "isRevealed"> {
  readonly width: number;
  readonly lines: readonly Line[];
}

/** The last lines of an edit: comparing long values takes time. They are kept as long as its confirmation. */
const lastShown = new WeakMap<Edit, Shown>();

function changeLines({ edit, text, isRevealed }: Confirmation, width: number): readonly Line[] {
  const last = lastShown.get(edit);
  if (last && last.isRevealed === isRevealed && last.width === width) return last.lines;
  const shown = edit.changes.slice(0, MAX_CHANGES).flatMap((change, index) => {
    const lines = editLines(change, isRevealed, width, text);
    if (edit.changes.length === 1) return lines;
    const heading = wrapLine(line(visibleText(change.name), "accent"), width);
    return [...(index === 0 ? [] : [[]]), ...heading, ...lines];
  });
  const left = edit.changes.length - MAX_CHANGES;
  const more = left > 0 ? [[], line(`… and ${countText(left)} more variables`, "muted")] : [];
  const lines = [...shown, ...more];
  lastShown.set(edit, { isRevealed, width, lines });
  return lines;
}

function answerLines(state: State, confirmation: Confirmation, width: number): Line[] {
  if (isBeingWritten(state, confirmation)) return [line("writing…", "muted")];
  const required = requiredText(state, confirmation);
  const buttons = answerButtons(confirmation);
  if (required === undefined) return [buttons];
  return [requiredLine(required, confirmation.typed, width), buttons];
}
