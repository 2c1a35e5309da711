import { refreshOthers, reload } from "../reading/read.js";
import { REVEAL_MS } from "../reading/reveal.js";
import { unmarked } from "../reading/selection.js";
import { keyOf } from "../state/command.js";
import { toFailure } from "../state/opened-places.js";
import type { Failure } from "../state/reading.js";
import {
  notify,
  type Part,
  type PlannedEdit,
  type State,
  type Step,
  type Tools,
  type Undone,
  type Work,
} from "../state/state.js";
import { andThen, step } from "../state/work.js";
import { acceptsQuestion, BUTTON_KEYS } from "../view/question.js";
import { changeData, dataOf, hints, pop, push, type Screen, withData } from "../view/screen.js";
import { commandKeyName, editKeyName, type Key } from "../widgets/key.js";
import { movedButton } from "../widgets/list.js";
import { editLine, textField } from "../widgets/text-field.js";
import { ANSWERS, type Confirmation, confirmPanel, isBeingWritten, scrollConfirmation } from "./review-panel.js";
import { doneText, placesText, requiredText } from "./review-text.js";

/**
 * Asks whether to make an edit, with a way back to the present screen. The input of a form is shown; other values are
 * masked. The first button has the focus, as `u` undoes the edit, unless it would replace another program's change.
 */
export function confirmEdit(
  state: State,
  planned: PlannedEdit,
  rest: Pick<Confirmation, "isChangedMeanwhile" | "text" | "again"> = {},
): State {
  const isRevealed = rest.again !== undefined;
  const button = rest.isChangedMeanwhile ? "back" : "yes";
  // A copy, because the lines of shown values are kept as long as it.
  const parts = [...planned.parts];
  return push(state, REVIEW, { ...planned, ...rest, parts, isRevealed, button, typed: textField(""), top: 0 });
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
  more: hints("Shift-Tab previous button, ←→ other button, ↑↓ scroll, n back, Ctrl-S confirm"),
  types: (state, confirmation) => requiredText(state, confirmation) !== undefined,
  places: (_state, { parts }) => parts.map(({ place }) => place),
  isBusy: isBeingWritten,
};

/** While the edit is being written all keys are ignored, so that it is written once. */
function confirmKey(state: State, confirmation: Confirmation, key: Key): Step {
  if (isBeingWritten(state, confirmation)) return step(state);
  const isTyping = requiredText(state, confirmation) !== undefined;
  const name = isTyping ? editKeyName(key) : commandKeyName(key);
  const go = (change: Partial<Confirmation>) => step(withData(state, REVIEW, { ...confirmation, ...change }));
  const moved = movedButton(ANSWERS, confirmation.button, name);
  if (moved) return go({ button: moved });
  if (["escape", "n"].includes(name) || (name === "enter" && confirmation.button === "back")) return step(pop(state));
  // Pressed twice in the form, it would replace an unseen change.
  if (name === "ctrl-s" && confirmation.isChangedMeanwhile)
    return go({ top: 0, problem: "Ctrl-S doesn't save over it: press Tab, then Enter" });
  if (name === "enter" || name === "ctrl-s") return write(state, confirmation);
  if (isTyping) {
    const typed = editLine(confirmation.typed, key);
    if (typed !== confirmation.typed) return go({ typed, problem: undefined });
  }
  if (name === "v") return go(withReveal(!confirmation.isRevealed, state.now + REVEAL_MS));
  if (name === "y") return step(notify(state, "y is no answer: press Enter on a button, or Ctrl-S"));
  return go({ top: scrollConfirmation(state, confirmation, name) });
}

function write(state: State, confirmation: Confirmation): Step {
  const { purpose, parts, entry, from, typed } = confirmation;
  const required = requiredText(state, confirmation);
  const withProblem = (problem?: string) => withData(state, REVIEW, { ...confirmation, top: 0, problem });
  if (required !== undefined && typed.text.trim() !== required) return step(withProblem(`first type ${required}`));
  if (state.writing) return step(withProblem("another edit is being written"));
  const writing = { purpose, parts, entry, from };
  return step({ ...withProblem(), writing, notice: undefined }, writingOf(writing));
}

/** Masks the values that `v` has revealed, after their time. */
export function expireConfirmation(state: State): State {
  const open = dataOf(state, REVIEW);
  const isOver = open?.shownUntil !== undefined && open.shownUntil <= state.now;
  return isOver ? withData(state, REVIEW, { ...open, ...withReveal(false) }) : state;
}

function withReveal(isRevealed: boolean, until?: number) {
  return { isRevealed, shownUntil: isRevealed ? until : undefined, top: 0 };
}

/** Writes an edit: all of a file or a store together, and these one after another. */
function writingOf(planned: PlannedEdit): Work {
  return async (tools) => {
    const written: Part[] = [];
    try {
      const indexes = planned.parts.map(({ place }) => place);
      for (const { editor, places } of await tools.places.byStore(indexes)) {
        const own = [...places].flatMap(([environment, place]) =>
          planned.parts.filter((part) => part.place === place).map((part) => ({ environment, part })),
        );
        await editor.apply(own.map(({ environment, part }) => ({ environment, changes: part.changes })));
        written.push(...own.map(({ part }) => part));
      }
    } catch (error) {
      return (state) => notApplied(state, toFailure(error), written);
    }
    // It is written, whether the history can be read now or not.
    const undone = await undoneBy(planned, tools).catch(() => undefined);
    return (state) => andThen(applied(state, undone), refreshOthers);
  };
}

/** The entry that an edit has undone, with its own. */
async function undoneBy({ entry, from = -1 }: PlannedEdit, { places }: Tools): Promise<Undone | undefined> {
  if (!entry) return undefined;
  const { editor, history } = await places.open(from);
  const [last] = (await history?.read(() => true, 1)) ?? [];
  return editor && last && { store: editor.store, id: entry.id, by: last.id };
}

/** Handles a written edit: shows a notice, and reads the variables again. @param undone the entry that it has undone */
function applied(state: State, undone: Undone | undefined): Step {
  const { writing } = state;
  if (!writing) return step(state);
  const { purpose, parts } = writing;
  const changes = parts.flatMap((part) => part.changes);
  const marks = purpose === "delete" || purpose === "copy" ? unmarked(state, changes) : state.marks;
  const stack = withoutReview(state, parts);
  const written = { ...state, stack, writing: undefined, marks, undone: undoneAfter(state.undone, purpose, undone) };
  // Keymaps are for the list.
  const undoKey = acceptsQuestion(written) && stack.length > 0 ? "u" : keyOf(state, "undo");
  const noted = notify(written, doneText(state, writing, undoKey), "success");
  const about = changes.flatMap(({ name, newName = name }) => [name, newName]);
  const next: State = noted.notice ? { ...noted, notice: { ...noted.notice, about } } : noted;
  if (!parts.some(({ place }) => place === state.place)) return step(next);
  const names = new Set(changes.flatMap(({ name, newName = name, after }) => (after ? newName : [])));
  // An added variable is selected when it has been read.
  const [name = next.list.name] = names.size === 1 ? names : [];
  return reload({ ...next, list: { ...next.list, name } });
}

/** What this session has undone. An edit that is not an undo or a redo leaves nothing to redo. */
function undoneAfter(
  all: readonly Undone[],
  purpose: PlannedEdit["purpose"],
  undone: Undone | undefined,
): readonly Undone[] {
  if (purpose === "undo") return undone ? [...all, undone] : all;
  const isOver = ({ by }: Undone) => purpose !== "redo" || by === undone?.id;
  return all.map((each) => (isOver(each) ? { ...each, isOver: true } : each));
}

/** The stack without the review of an edit, and without the form below it. */
function withoutReview({ stack }: State, parts: PlannedEdit["parts"]): State["stack"] {
  const at = stack.findIndex(({ screen, data }) => screen === REVIEW && (data as Confirmation).parts === parts);
  const review = stack[at]?.data as Confirmation | undefined;
  if (!review) return stack;
  return review.again ? stack.toSpliced(at - 1, 2) : stack.toSpliced(at, 1);
}

/** Handles an edit that could not be written: its review shows why, and a notice if something else covers it. */
function notApplied(state: State, { code, message }: Failure, written: readonly Part[]): Step {
  const { writing } = state;
  if (!writing) return step(state);
  const { parts } = writing;
  const done = placesText(
    state,
    written.map(({ place }) => place),
  );
  const problem =
    written.length === 0 ? message : `${message}. Only ${done} ${written.length === 1 ? "was" : "were"} written before`;
  const open = dataOf(state, REVIEW);
  const isOpen = open !== undefined && open.parts === parts;
  const free: State = { ...state, writing: undefined };
  const shown = isOpen ? free : notify(free, problem, "error");
  // Asks again, with the variable as it is now.
  if (isOpen && code === "changed" && open.again && written.length === 0) return open.again(pop(shown));
  const left = written.length === 0 ? parts : parts.filter((part) => !written.includes(part));
  return step(
    changeData(shown, REVIEW, (each) => (each.parts === parts ? { ...each, parts: left, top: 0, problem } : each)),
  );
}
