import { refreshOthers, reload } from "../reading/read.js";
import { REVEAL_MS } from "../reading/reveal.js";
import { unmarked } from "../reading/selection.js";
import { unmasking } from "../reading/shown.js";
import { keyOf } from "../state/command.js";
import { layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import { toFailure } from "../state/opened-places.js";
import { placeName } from "../state/places.js";
import type { Failure } from "../state/reading.js";
import {
  type Next,
  notify,
  type Part,
  type PlannedEdit,
  type State,
  type Step,
  type Undone,
  type Work,
} from "../state/state.js";
import { andThen, step } from "../state/work.js";
import { visibleText } from "../text/graphemes.js";
import { countText, indented, type Line, line, spaced, wrapLine, wrapLines } from "../text/line.js";
import { buttonLine, type PanelContent, requiredLine, scrolledLines } from "../view/panel.js";
import { acceptsQuestion, BUTTON_KEYS } from "../view/question.js";
import { changeData, dataOf, hints, pop, push, type Screen, top, withData } from "../view/screen.js";
import { commandKeyName, editKeyName, type Key } from "../widgets/key.js";
import { movedButton, scroll, scrollText } from "../widgets/list.js";
import { editLine, type TextField, textField } from "../widgets/text-field.js";
import {
  deletesValue,
  doneText,
  editLines,
  noteLines,
  placesText,
  questionText,
  requiredText,
  titleOf,
} from "./review-text.js";

const ANSWERS = ["yes", "back"] as const;

/** A planned edit that is asked about. */
interface Confirmation extends PlannedEdit {
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
  places: (_state, { parts }) => parts.map(({ place }) => place),
  isBusy: isBeingWritten,
};

/** Whether the edit of this confirmation is being written. */
function isBeingWritten({ writing }: State, { parts }: Confirmation): boolean {
  return writing?.parts === parts;
}

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
    return go({ problem: "Ctrl-S doesn't save over it: press Tab, then Enter" });
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
  const withProblem = (problem?: string) => withData(state, REVIEW, { ...confirmation, problem });
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

function confirmPanel(state: State, confirmation: Confirmation, size: Size): PanelContent {
  const { lines, end, page } = parts(state, confirmation, size);
  const visible = scrolledLines(lines, confirmation.top, page);
  const title = titleOf(confirmation);
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
  const lines = [...spaced([question, noteLines(confirmation, width)]), [], ...changeLines(state, confirmation, width)];
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
  return required === undefined ? [buttons] : [requiredLine(required, typed, width), buttons];
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
      const { entry, from } = planned;
      const opened = entry && from !== undefined ? await tools.places.open(from) : undefined;
      const [last] = (await opened?.history?.read(() => true, 1)) ?? [];
      const undone = entry && last && { store: opened?.editor?.store ?? "", id: entry.id, by: last.id };
      return (state) => andThen(applied(state, undone), refreshOthers);
    } catch (error) {
      return (state) => notApplied(state, toFailure(error), written);
    }
  };
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
  const open = top(next);
  const other = parts.find(({ place }) => place !== state.place)?.place;
  const [shown, work] = (other !== undefined && open?.screen.changed?.(next, open.data, other)) || step(next);
  if (!parts.some(({ place }) => place === state.place)) return [shown, work];
  const names = new Set(changes.flatMap(({ name, newName = name, after }) => (after ? newName : [])));
  // An added variable is selected when it has been read.
  const wanted = names.size === 1 ? [...names][0] : next.list.wanted;
  return andThen([shown, work], (now) => reload({ ...now, list: { ...now.list, wanted } }));
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
  return step(changeData(shown, REVIEW, (each) => (each.parts === parts ? { ...each, parts: left, problem } : each)));
}
