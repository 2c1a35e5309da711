import type { VariableEntry } from "../../domain/source.js";
import { refreshOthers, reload } from "../reading/read.js";
import { REVEAL_MS } from "../reading/reveal.js";
import { unmarked } from "../reading/selection.js";
import { unmasking } from "../reading/shown.js";
import { keyOf } from "../state/command.js";
import { isSmall, layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import type { Assigned, Assignment, Edit, EditPurpose, Purpose } from "../state/ports.js";
import type { Failure } from "../state/reading.js";
import { type Done, notify, type State, type Step, type Work } from "../state/state.js";
import { andThen, awaiting, step, trying } from "../state/work.js";
import { visibleText } from "../text/graphemes.js";
import { countText, indented, type Line, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import { inputLines, type PanelContent, scrolledLines } from "../view/panel.js";
import { acceptsQuestion, BUTTON_KEYS, requiredInput } from "../view/question.js";
import { changeData, dataOf, hints, pop, push, type Screen, top, withData } from "../view/screen.js";
import { commandKeyName, editKeyName, type Key } from "../widgets/key.js";
import { movedButton, scroll, scrollText } from "../widgets/list.js";
import { editLine, textField } from "../widgets/text-field.js";
import {
  type Answer,
  answerButtons,
  answersOf,
  type Confirmation,
  doneText,
  droppedFromHistory,
  editLines,
  historyAfter,
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
 * Asks whether to make an edit, with a way back to the present screen. The input of a form is shown; other values are
 * masked. The first button has the focus, as `u` undoes the edit, unless it would replace another program's change.
 */
export function confirmEdit(
  state: State,
  purpose: Purpose,
  place: number,
  edit: Edit,
  rest: Pick<Confirmation, "of" | "isChangedMeanwhile" | "text" | "again"> = {},
): State {
  return push(state, REVIEW, {
    purpose,
    place,
    edit: { ...edit },
    ...rest,
    isRevealed: rest.again !== undefined,
    button: rest.isChangedMeanwhile ? "back" : "yes",
    typed: textField(""),
    top: 0,
  });
}

const REVIEW_KEYS = {
  typed: hints(`${BUTTON_KEYS}, Esc back`),
  masked: hints(`${BUTTON_KEYS}, v show values, Esc back`),
  revealed: hints(`${BUTTON_KEYS}, v hide values, Esc back`),
  busy: hints("Ctrl-C quit"),
};

const REVIEW: Screen<Confirmation> = {
  name: "review",
  key: confirmKey,
  panel: confirmPanel,
  hints: (state, confirmation) => {
    if (isBeingWritten(state, confirmation)) return REVIEW_KEYS.busy;
    // Where a name is typed, v is a letter of it.
    if (requiredText(state, confirmation) !== undefined) return REVIEW_KEYS.typed;
    return confirmation.isRevealed ? REVIEW_KEYS.revealed : REVIEW_KEYS.masked;
  },
  more: hints(
    "Shift-Tab previous button, ←→ other button, ↑↓ scroll, n back, x drop an edit of the history that can't be undone, Ctrl-S confirm",
  ),
  types: (state, confirmation) => requiredText(state, confirmation) !== undefined,
  places: (_state, { place }) => [place],
  isBusy: isBeingWritten,
};

/** Whether the edit of this confirmation is being written. */
function isBeingWritten({ writing }: State, { edit }: Confirmation): boolean {
  return writing?.edit === edit;
}

export function deleteValues(state: State, entries: readonly VariableEntry[], place = state.place): Step {
  const set = entries.filter(({ value }) => value !== undefined);
  if (set.length === 0) {
    const [entry] = entries;
    return step(notify(state, `${entry?.variable.name ?? "the variable"} has no value here`, "error"));
  }
  const assignments = set.map((entry): Assignment => {
    return { name: entry.variable.name, ...assignedIn(entry), value: undefined };
  });
  return assign(state, place, "delete", assignments);
}

/** Prepares an edit without a form. */
export function assign(state: State, place: number, purpose: EditPurpose, assignments: readonly Assignment[]): Step {
  return awaiting(state, async ({ places }) => {
    const edit = (await places.openToEdit(place)).editor.assign(assignments);
    return (now) => step(assigned(now, purpose, place, edit));
  });
}

/** Handles an edit that was prepared without a form: asks to confirm it, unless the keys have another meaning by now. */
export function assigned(state: State, purpose: EditPurpose, place: number, edit: Edit): State {
  if (edit.changes.length === 0) return notify(state, "nothing to change");
  if (!acceptsQuestion(state)) return notify(state, "the edit was dropped: something else is open", "error");
  return confirmEdit(state, purpose, place, edit);
}

/** While the edit is being written all keys are ignored, so that it is written once. */
function confirmKey(state: State, confirmation: Confirmation, key: Key): Step {
  if (isBeingWritten(state, confirmation)) return step(state);
  const isTyping = requiredText(state, confirmation) !== undefined;
  const name = isTyping ? editKeyName(key) : commandKeyName(key);
  const go = (change: Partial<Confirmation>) => step(withData(state, REVIEW, { ...confirmation, ...change }));
  const moved = movedButton(answersOf(confirmation), confirmation.button, name);
  if (moved) return go({ button: moved });
  switch (name) {
    case "enter":
      return answered(state, confirmation, confirmation.button);
    case "ctrl-s":
      // Pressed twice in the form, it would replace an unseen change.
      if (confirmation.isChangedMeanwhile)
        return go({ top: 0, problem: "Ctrl-S doesn't save over it: press Tab, then Enter" });
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
      return step(withData(state, REVIEW, withReveal(confirmation, !confirmation.isRevealed, state.now + REVEAL_MS)));
    case "y":
      return step(notify(state, "y is no answer: press Enter on a button, or Ctrl-S"));
    default:
      return step(withData(state, REVIEW, { ...confirmation, top: scrollConfirmation(state, confirmation, name) }));
  }
}

function answered(state: State, confirmation: Confirmation, answer: Answer): Step {
  const { purpose, place, edit, of, typed } = confirmation;
  if (!answersOf(confirmation).includes(answer)) return step(state);
  if (answer === "back") return step(pop(state));
  if (answer === "drop") return step(droppedFromHistory(state, confirmation));
  const required = requiredText(state, confirmation);
  if (required !== undefined && typed.text.trim() !== required) {
    return step(withData(state, REVIEW, { ...confirmation, top: 0, problem: `first type ${required}` }));
  }
  const withProblem = (problem?: string) => withData(state, REVIEW, { ...confirmation, top: 0, problem });
  if (state.writing) return step(withProblem("another edit is being written"));
  const writing = { purpose, place, edit, of };
  return step({ ...withProblem(), writing, notice: undefined }, applying(place, edit));
}

/** Masks the values that `v` has revealed, after their time. */
export function expireConfirmation(state: State): State {
  const open = dataOf(state, REVIEW);
  const isOver = open?.shownUntil !== undefined && open.shownUntil <= state.now;
  return isOver ? withData(state, REVIEW, withReveal(open, false)) : state;
}

function withReveal(confirmation: Confirmation, isRevealed: boolean, until?: number): Confirmation {
  return { ...confirmation, isRevealed, shownUntil: isRevealed ? until : undefined, top: 0 };
}

function confirmPanel(state: State, confirmation: Confirmation, size: Size): PanelContent {
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
const lastShown = new WeakMap<Edit, ShownLines>();

function changeLines(state: State, { edit, text, isRevealed }: Confirmation, width: number): readonly Line[] {
  const last = lastShown.get(edit);
  if (last && last.isRevealed === isRevealed && last.width === width) return last.lines;
  const shown = edit.changes.slice(0, MAX_CHANGES).flatMap((change, index) => {
    const sides = { before: unmasking(state, change.before), after: unmasking(state, change.after) };
    const lines = editLines(sides, isRevealed, width, text);
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
  return [...inputLines(requiredInput(required).label, confirmation.typed, width), buttons];
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
  const open = dataOf(state, REVIEW);
  return open ? awaiting(state, renewing(place, open.edit)) : step(state);
}

/** Finds out what an edit of the history does to the present data. */
function renewing(place: number, edit: Edit): Work {
  return async ({ places }) => {
    // The edit can be dropped from the history even if the place fails.
    const opened = await places.openToEdit(place).catch(() => undefined);
    const now = opened?.editor.renew(edit) ?? edit;
    return (state) => step(renewed(state, edit, now));
  };
}

/** Asks about an edit of the history as it would be now. */
function renewed(state: State, edit: Edit, now: Edit): State {
  return changeData(state, REVIEW, (open) => (open.edit === edit ? { ...open, edit: now } : open));
}

export function whyNoUndo({ history }: State): string | undefined {
  return history.done.length > 0 ? undefined : "nothing to undo";
}

export function whyNoRedo({ history }: State): string | undefined {
  return history.undone.length > 0 ? undefined : "nothing to redo";
}

/** Writes the edit. */
function applying(place: number, edit: Edit): Work {
  const apply: Work = async ({ places }) => {
    await (await places.openToEdit(place)).editor.apply(edit);
    return (state) => andThen(applied(state), refreshOthers);
  };
  return trying(apply, (failure) => (state) => notApplied(state, failure));
}

/** Handles a written edit: shows a notice, keeps the edit for undo, and reads the variables again. */
function applied(state: State): Step {
  const { writing, history } = state;
  if (!writing) return step(state);
  const { purpose, place, edit } = writing;
  const isOfMarked = purpose === "delete" || purpose === "copy-to";
  const marks = isOfMarked ? unmarked(state, edit.changes) : state.marks;
  const stack = withoutReview(state, edit);
  const written = { ...state, stack, writing: undefined, marks, history: historyAfter(history, writing) };
  // Keymaps are for the list.
  const undoKey = acceptsQuestion(written) && stack.length > 0 ? "u" : keyOf(state, "undo");
  const next = notify(written, doneText(state, writing, undoKey), "success");
  const open = top(next);
  if (place !== state.place) return open?.screen.changed?.(next, open.data, place) ?? step(next);
  const [change, ...others] = edit.changes;
  // An added variable is selected when it has been read.
  const name = others.length === 0 && change?.after ? change.name : next.list.name;
  return reload({ ...next, list: { ...next.list, name } });
}

/** The stack without the review of an edit, and without the form below it. */
function withoutReview({ stack }: State, edit: Edit): State["stack"] {
  const at = stack.findIndex(({ screen, data }) => screen === REVIEW && (data as Confirmation).edit === edit);
  const review = stack[at]?.data as Confirmation | undefined;
  if (!review) return stack;
  return review.again ? stack.toSpliced(at - 1, 2) : stack.toSpliced(at, 1);
}

/** Handles an edit that could not be written: its review shows why, and a notice if something else covers it. */
function notApplied(state: State, { code, message }: Failure): Step {
  const { writing } = state;
  if (!writing) return step(state);
  const { purpose, edit } = writing;
  const open = dataOf(state, REVIEW);
  const isOpen = open !== undefined && open.edit === edit;
  const free: State = { ...state, writing: undefined };
  const shown = isOpen ? free : notify(free, message, "error");
  // Asks again, with the variable as it is now.
  if (isOpen && code === "changed" && open.again) return open.again(pop(shown));
  const isRepeated = purpose === "undo" || purpose === "redo";
  const problem = isRepeated ? `${message}. To ${purpose} other edits, drop this one from the history` : message;
  return step(changeData(shown, REVIEW, (each) => (each.edit === edit ? { ...each, top: 0, problem } : each)));
}
