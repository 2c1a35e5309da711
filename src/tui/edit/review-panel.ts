import { unmasking } from "../reading/shown.js";
import { isSmall, layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import { placeName } from "../state/places.js";
import type { Next, PlannedEdit, State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { countText, indented, type Line, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import { buttonLine, inputLines, type PanelContent, scrolledLines } from "../view/panel.js";
import { requiredInput } from "../view/question.js";
import { scroll, scrollText } from "../widgets/list.js";
import type { TextField } from "../widgets/text-field.js";
import { deletesValue, editLines, noteLines, questionText, requiredText, titleOf } from "./review-text.js";

/** The buttons of a review. */
export const ANSWERS = ["yes", "back"] as const;

/** A planned edit that is asked about. */
export interface Confirmation extends PlannedEdit {
  /** The input for the new value, which the edit may have encrypted. */
  readonly text?: string | undefined;
  /** Whether another program has changed the variable since the form was opened: `before` is its new state. */
  readonly isChangedMeanwhile?: boolean | undefined;
  readonly isRevealed: boolean;
  /** When values that `v` has revealed are masked again. */
  readonly shownUntil?: number | undefined;
  /** The button with the focus. */
  readonly button: (typeof ANSWERS)[number];
  /** The input where a name must be typed before the edit is made. */
  readonly typed: TextField;
  readonly problem?: string | undefined;
  /** For the edit of a form, which is below: prepares it again, if another program has changed the variable. */
  readonly again?: Next | undefined;
  readonly top: number;
}

/** Whether the edit of this confirmation is being written. */
export function isBeingWritten({ writing }: State, { parts }: Confirmation): boolean {
  return writing?.parts === parts;
}

export function confirmPanel(state: State, confirmation: Confirmation, size: Size): PanelContent {
  const { lines, end, page } = parts(state, confirmation, size);
  const visible = scrolledLines(lines, confirmation.top, page);
  const title = titleOf(confirmation);
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
  const refusal = problem === undefined ? [] : wrapLines(`✗ ${problem}`, width, "danger");
  // On a small screen, the buttons would have no room below a long refusal.
  const [first, last] = isSmall(size) ? [refusal, []] : [[], refusal];
  const head = spaced([first, question, noteLines(confirmation, width)]);
  const lines = [...head, [], ...changeLines(state, confirmation, width)];
  const end = [...last, ...answerLines(state, confirmation, width)];
  // With the line before the end.
  return { lines, end, page: Math.max(1, size.height - 3 - end.length) };
}

interface ShownLines extends Pick<Confirmation, "isRevealed"> {
  readonly width: number;
  readonly lines: readonly Line[];
}

/** The last lines of an edit: comparing long values takes time. They are kept as long as its confirmation. */
const lastShown = new WeakMap<Confirmation["parts"], ShownLines>();

function changeLines(state: State, { parts, text, isRevealed }: Confirmation, width: number): readonly Line[] {
  const last = lastShown.get(parts);
  if (last && last.isRevealed === isRevealed && last.width === width) return last.lines;
  const all = parts.flatMap(({ place, changes }) => changes.map((change) => ({ place, change })));
  const heading = (name: string) => wrapLine(line(name, "accent"), width);
  const isNamed = all.some(({ change }) => change.name !== all[0]?.change.name);
  const blocks = all.slice(0, MAX_CHANGES).map(({ place, change }, index) => {
    const sides = { before: unmasking(state, change.before), after: unmasking(state, change.after) };
    const isFirst = parts.length > 1 && place !== all[index - 1]?.place;
    return [
      ...(isFirst ? heading(`in ${placeName(state, place)}`) : []),
      ...(isNamed ? heading(visibleText(change.name)) : []),
      ...editLines({ ...change, ...sides }, isRevealed, width, text),
    ];
  });
  const left = all.length - MAX_CHANGES;
  const lines = [
    ...spaced(blocks),
    ...(left > 0 ? [[], line(`… and ${countText(left)} more variables`, "muted")] : []),
  ];
  lastShown.set(parts, { isRevealed, width, lines });
  return lines;
}

function answerLines(state: State, confirmation: Confirmation, width: number): Line[] {
  if (isBeingWritten(state, confirmation)) return [line("writing…", "muted")];
  const { parts, button, isChangedMeanwhile, typed } = confirmation;
  const isDanger = parts.some(({ changes }) => changes.some(deletesValue));
  const yes = {
    label: isChangedMeanwhile ? "Save over it" : titleOf(confirmation),
    key: "ctrl-s",
    role: isDanger ? "danger" : "accent",
  } as const;
  const buttons = buttonLine([yes, { label: "Back", key: "escape", role: "text" }], ANSWERS.indexOf(button));
  const required = requiredText(state, confirmation);
  return required === undefined ? [buttons] : [...inputLines(requiredInput(required).label, typed, width), buttons];
}
