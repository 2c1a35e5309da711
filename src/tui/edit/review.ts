import type { VariableEntry } from "../../domain/source.js";
import { REVEAL_MS } from "../reading/reveal.js";
import type { EditPurpose, Purpose } from "../state/effects.js";
import { layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import type { Answer, Confirmation } from "../state/modes.js";
import type { Assigned, Assignment, Edit } from "../state/ports.js";
import { type Done, isBeingWritten, notify, type State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { countText, indented, type Line, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import { editLines } from "../view/edit-lines.js";
import { type PanelContent, requiredLine, scrolledLines } from "../view/panel.js";
import { commandKeyName, editKeyName, type Key } from "../widgets/key.js";
import { movedButton, scroll, scrollText } from "../widgets/list.js";
import { editLine, textField } from "../widgets/text-field.js";
import {
  answerButtons,
  answersOf,
  droppedFromHistory,
  inverted,
  noteLines,
  questionText,
  requiredText,
  titleOf,
} from "./review-text.js";

/** The content of a variable for an edit. */
export function assignedIn({ variable: { id: _, name, ...definition }, value, rules }: VariableEntry): Assigned {
  return { ...definition, ...rules, value: value?.content.value };
}

/**
 * Asks whether to make an edit, with a way back to the present mode. The input of a form is shown; other values are
 * masked. The first button has the focus, as `u` undoes the edit, unless it would replace another program's change.
 */
export function confirmEdit(
  state: State,
  purpose: Purpose,
  place: number,
  edit: Edit,
  rest: Pick<Confirmation, "of" | "isChangedMeanwhile" | "text"> = {},
): State {
  const { mode: back } = state;
  const mode: Confirmation = {
    kind: "confirm",
    purpose,
    place,
    edit: { ...edit },
    ...rest,
    isRevealed: back.kind === "form",
    button: rest.isChangedMeanwhile ? "back" : "yes",
    typed: textField(""),
    back,
    top: 0,
  };
  return { ...state, mode };
}

export function deleteValues(state: State, entries: readonly VariableEntry[]): Step {
  const set = entries.filter(({ value }) => value !== undefined);
  if (set.length === 0) {
    const [entry] = entries;
    return step(notify(state, `${entry?.variable.name ?? "the variable"} has no value here`, "error"));
  }
  const assignments = set.map((entry): Assignment => {
    return { name: entry.variable.name, ...assignedIn(entry), value: undefined };
  });
  return step(state, { type: "assign", place: state.place, purpose: "delete", assignments });
}

/** Handles an edit that was prepared without a form: asks to confirm it, unless the keys have another meaning by now. */
export function assigned(state: State, purpose: EditPurpose, place: number, edit: Edit): State {
  if (edit.changes.length === 0) return notify(state, "nothing to change");
  if (!acceptsQuestion(state)) return notify(state, "the edit was dropped: something else is open", "error");
  return confirmEdit(state, purpose, place, edit);
}

/** Whether a question may open that no key has asked for just now: an Enter that was meant for something else answers it. */
export function acceptsQuestion({ mode: { kind } }: State): boolean {
  return kind === "browse" || kind === "diff" || kind === "matrix";
}

/** While the edit is being written all keys are ignored, so that it is written once. */
export function confirmKey(state: State, confirmation: Confirmation, key: Key): Step {
  if (isBeingWritten(state, confirmation)) return step(state);
  const isTyping = requiredText(state, confirmation) !== undefined;
  const name = isTyping ? editKeyName(key) : commandKeyName(key);
  const go = (change: Partial<Confirmation>) => step({ ...state, mode: { ...confirmation, ...change } });
  const moved = movedButton(answersOf(confirmation), confirmation.button, name);
  if (moved) return go({ button: moved });
  switch (name) {
    case "enter":
      return answered(state, confirmation, confirmation.button);
    case "ctrl-s":
      // Pressed twice in the form, it would replace an unseen change.
      if (confirmation.isChangedMeanwhile) return go({ problem: "Ctrl-S doesn't save over it: press Tab, then Enter" });
      return answered(state, confirmation, "yes");
    case "escape":
      return answered(state, confirmation, "back");
    case "ctrl-x":
      return answered(state, confirmation, "drop");
  }
  const typed = isTyping ? editLine(confirmation.typed, key) : confirmation.typed;
  if (typed !== confirmation.typed) return go({ typed, problem: undefined });
  return isTyping ? go({ top: scrollConfirmation(state, confirmation, name) }) : letter(state, confirmation, name);
}

/** The keys that are letters. `y` copies elsewhere: it is no answer, since it would copy after the question is gone. */
function letter(state: State, confirmation: Confirmation, name: string): Step {
  switch (name) {
    case "n":
      return answered(state, confirmation, "back");
    case "x":
      return answered(state, confirmation, "drop");
    case "v":
      return step({ ...state, mode: withReveal(confirmation, !confirmation.isRevealed, state.now + REVEAL_MS) });
    case "y":
      return step(notify(state, "y is no answer: press Enter on a button, or Ctrl-S"));
    default:
      return step({ ...state, mode: { ...confirmation, top: scrollConfirmation(state, confirmation, name) } });
  }
}

function answered(state: State, confirmation: Confirmation, answer: Answer): Step {
  const { purpose, place, edit, of, back, typed } = confirmation;
  if (!answersOf(confirmation).includes(answer)) return step(state);
  if (answer === "back") return step({ ...state, mode: back });
  if (answer === "drop") return step(droppedFromHistory(state, confirmation));
  const required = requiredText(state, confirmation);
  if (required !== undefined && typed.text.trim() !== required) {
    return step({ ...state, mode: { ...confirmation, problem: `first type ${required}` } });
  }
  if (state.writing) return step({ ...state, mode: { ...confirmation, problem: "another edit is being written" } });
  const mode: Confirmation = { ...confirmation, problem: undefined };
  const writing = { purpose, place, edit, of };
  return step({ ...state, mode, writing, notice: undefined }, { type: "apply", place, edit });
}

/** Masks the values that `v` has revealed, after their time. */
export function expireConfirmation(state: State): State {
  const { mode, now } = state;
  const isOver = mode.kind === "confirm" && mode.shownUntil !== undefined && mode.shownUntil <= now;
  return isOver ? { ...state, mode: withReveal(mode, false) } : state;
}

function withReveal(confirmation: Confirmation, isRevealed: boolean, until?: number): Confirmation {
  return { ...confirmation, isRevealed, shownUntil: isRevealed ? until : undefined, top: 0 };
}

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
function scrollConfirmation(state: State, confirmation: Confirmation, key: string): number {
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

interface ShownLines extends Pick<Confirmation, "isRevealed"> {
  readonly width: number;
  readonly lines: readonly Line[];
}

/** The last lines of an edit: comparing long values takes time. They are kept as long as its confirmation. */
const lastShown = new WeakMap<Edit, ShownLines>();

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

export function confirmUndo(state: State): Step {
  const last = state.history.done.at(-1);
  if (!last) return step(state);
  return confirmAgain(state, "undo", { ...last, edit: inverted(last.edit) });
}

export function confirmRedo(state: State): Step {
  const next = state.history.undone.at(-1);
  if (!next) return step(state);
  return confirmAgain(state, "redo", next);
}

function confirmAgain(before: State, purpose: "undo" | "redo", { place, purpose: of, edit }: Done): Step {
  const state = confirmEdit(before, purpose, place, edit, { of });
  const { mode } = state;
  return mode.kind === "confirm" ? step(state, { type: "renew", place, edit: mode.edit }) : step(state);
}

/** Asks about an edit of the history, given its effect on the present data. */
export function renewed(state: State, edit: Edit, now: Edit): State {
  const { mode } = state;
  if (mode.kind !== "confirm" || isBeingWritten(state, mode) || mode.edit !== edit) return state;
  return { ...state, mode: { ...mode, edit: now } };
}

export function whyNoUndo({ history }: State): string | undefined {
  return history.done.length > 0 ? undefined : "nothing to undo";
}

export function whyNoRedo({ history }: State): string | undefined {
  return history.undone.length > 0 ? undefined : "nothing to redo";
}
