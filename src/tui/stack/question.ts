import { effectOnly, withEffects } from "../state/effects.js";
import { isSmall, layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import { memoized } from "../state/memoized.js";
import { notify, type State } from "../state/state.js";
import { isRevealed, REVEAL_MS } from "../table/reveal.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { indented, type Line, spaced, wrapLines } from "../text/line.js";
import { commandKeyName, editKeyName, type Key, keyLabel } from "../widgets/key.js";
import { scrollByKey } from "../widgets/list.js";
import { applyKeyToLine, focusedInput, type TextField, textField } from "../widgets/text-field.js";
import { type PanelContent, scrolledLines } from "./panel.js";
import {
  changeData,
  dataOf,
  hints,
  type KeyHint,
  layers,
  pop,
  push,
  type Screen,
  withData,
} from "./screen.js";

/** A question with lines that scroll, an optional text input, and two buttons. */
export interface Question {
  /**
   * The question whether to quit, which closes when the work it would cancel
   * ends.
   */
  readonly kind?: "quit";
  readonly title: string;
  readonly text: string;
  /**
   * Lines below the text.
   *
   * @param isShown whether to show values, which `v` toggles for 30 seconds
   */
  readonly details?: Details | undefined;
  readonly shownUntil?: number;
  readonly isDanger?: boolean;
  readonly input?: Input | undefined;
  readonly problem?: string | undefined;
  /** The label of the confirm button, such as `Replace`. Default: the title. */
  readonly answer?: string;
  /**
   * Default: Ctrl-S. With any other key, such as Ctrl-X if something is lost,
   * the Back button has the focus.
   */
  readonly key?: keyof typeof ANSWER_KEYS;
  /**
   * Runs once the user has confirmed and the question is closed. By default,
   * the screen that asked is closed, too.
   *
   * @param text the input
   */
  readonly run?: (state: State, text: string) => State;
  /**
   * What leaving the question loses, such as ` without the new credentials`.
   * The Back button then asks first.
   */
  readonly lost?: string;
  /** The places that the question is about. Default: the open one. */
  readonly places?: readonly number[];
}

type Details = (state: State, width: number, isShown: boolean) => readonly Line[];

interface Input {
  readonly label: string;
  /** Returns why a string is not valid, or `undefined` if it is. */
  readonly check: (text: string) => string | undefined;
  /** Whether Tab completes the text as a path. */
  readonly isPath?: true;
}

interface OpenQuestion extends Question {
  readonly answer: string;
  readonly key: keyof typeof ANSWER_KEYS;
  /** Whether the confirm button has the focus. */
  readonly isOnAnswer: boolean;
  readonly typed: TextField;
  readonly top: number;
}

/** Requires typing a word to confirm. */
export function requiredInput(word: string): Input {
  const check = (text: string) => (text === word ? undefined : `type ${word} first`);
  return { label: `type ${visibleText(word)} to confirm: `, check };
}

export function ask(state: State, question: Question): State {
  const { key = "ctrl-s", answer = question.title } = question;
  const isOnAnswer = key === "ctrl-s";
  const asked = { ...question, key, answer, isOnAnswer, typed: textField(""), top: 0 };
  return push({ ...state, notice: undefined }, QUESTION, asked);
}

/** Asks for a string, unless it has been typed already. */
export function askText(
  state: State,
  typed: string,
  question: Pick<Question, "title" | "text"> &
    Required<Pick<Question, "run">> & { readonly input: Input },
): State {
  if (typed === "") return ask(state, question);
  const problem = question.input.check(typed);
  return problem === undefined ? question.run(state, typed) : notify(state, problem, "error");
}

const QUESTION: Screen<OpenQuestion> = {
  name: "question",
  key: questionKey,
  panel: questionPanel,
  hints: questionHints,
  more: (_state, { input }) =>
    hints(`Shift-Tab previous button, ↑↓ scroll${input ? "" : ", ←→ other button, n back"}`),
  types: (_state, { input }) => input !== undefined,
  places: (state, { places }) => places ?? [state.place],
  lost: ({ lost }) => lost,
};

const ANSWER_KEYS = {
  "ctrl-s": "Ctrl-S confirm",
  "ctrl-x": "Ctrl-X confirm",
  y: "y copy",
} as const;
const BUTTON_KEYS = ["tab", "shift-tab", "left", "right"];

function questionHints(state: State, asked: OpenQuestion): readonly KeyHint[] {
  const { input, key, details } = asked;
  if (input?.isPath) return hints("Enter confirm, Tab complete, Esc back");
  // In a text input, `v` is a letter.
  const values = details
    ? [`${input ? "Alt-V" : "v"} ${isShown(state, asked) ? "hide" : "show"} values`]
    : [];
  return hints(
    [ANSWER_KEYS[key], "Enter choose", "Tab next button", ...values, "Esc back"].join(", "),
  );
}

function isShown({ time, revealed }: State, { shownUntil }: Question): boolean {
  return shownUntil === undefined ? isRevealed(revealed) : shownUntil > time;
}

function questionKey(state: State, asked: OpenQuestion, key: Key): State {
  const { input, typed, isOnAnswer, key: answerKey } = asked;
  const go = (change: Partial<OpenQuestion>) => withData(state, QUESTION, { ...asked, ...change });
  const name = input ? editKeyName(key) : commandKeyName(key);
  if (name === "tab" && input?.isPath) return completePath(state, typed);
  const edited = input ? applyKeyToLine(typed, key) : typed;
  if (edited !== typed) return go({ typed: edited, problem: undefined });
  if (BUTTON_KEYS.includes(name)) return go({ isOnAnswer: !isOnAnswer });
  if (["escape", "n"].includes(name) || (name === "enter" && !isOnAnswer))
    return leave(state, asked);
  if (name === "enter" || name === answerKey) return answered(state, asked);
  if (name === (input ? "alt-v" : "v"))
    return go({ shownUntil: isShown(state, asked) ? 0 : state.time + REVEAL_MS, top: 0 });
  if (name === "y") {
    return notify(state, `y does not confirm: press Enter on a button, or ${keyLabel(answerKey)}`);
  }
  const { lines, page } = questionLines(state, asked, questionSize(layoutOf(state)));
  return go({ top: scrollByKey(asked.top, lines.length, page, name) });
}

function leave(state: State, { lost }: OpenQuestion): State {
  if (lost === undefined) return pop(state);
  return ask(state, { title: "Close", text: `Close${lost}?`, key: "ctrl-x" });
}

function answered(state: State, asked: OpenQuestion): State {
  const text = asked.typed.text.trim();
  const problem = asked.input?.check(text);
  if (problem !== undefined) return withData(state, QUESTION, { ...asked, problem, top: 0 });
  return asked.run ? asked.run(pop(state), text) : pop(state, 2);
}

/** Completes the unambiguous part of a path. Quotes a path with spaces. */
function completePath(state: State, typed: TextField): State {
  const [, folder = "", start = ""] = /^"?(.*\/)?([^/]*)$/u.exec(typed.text) ?? [];
  return withEffects(state, async ({ listFolder }) => {
    const names = (await listFolder(folder)).filter((name) => name.startsWith(start));
    const [first = start] = names;
    const isShared = (_: string, end: number) =>
      names.every((name) => name.startsWith(first.slice(0, end + 1)));
    const path = folder + first.slice(0, first.split("").findLastIndex(isShared) + 1);
    const isWhole = names.length === 1 && !path.endsWith("/");
    const text = /\s/u.test(path) ? `"${path}${isWhole ? '"' : ""}` : path;
    const completed = (asked: OpenQuestion) =>
      asked.typed === typed ? { ...asked, typed: textField(text) } : asked;
    return (now) => changeData(now, QUESTION, completed);
  });
}

function questionPanel(state: State, asked: OpenQuestion, size: Size): PanelContent {
  const { lines, end, page } = questionLines(state, asked, size);
  const visible = scrolledLines(lines, asked.top, page);
  const all = [...visible.lines, ...end.map(indented)];
  return { ...visible, title: asked.title, isFocused: true, lines: all };
}

/** Cached, since comparing values of 1 MB takes 100 ms. */
const detailLines = memoized<Details, readonly Line[]>();

/**
 * The scrolling lines, the fixed ones below them, and how many scrolling lines
 * are visible.
 */
function questionLines(state: State, asked: OpenQuestion, size: Size) {
  const { text, details, problem, input, typed, answer, key, isOnAnswer } = asked;
  const width = textColumns(size);
  const role = asked.isDanger || key === "ctrl-x" ? "danger" : "accent";
  const refusal = problem === undefined ? [] : wrapLines(`✗ ${problem}`, width, "danger");
  const isOpen = isShown(state, asked);
  const rest = details
    ? detailLines(details, [width, isOpen], () => details(state, width, isOpen))
    : [];
  const blocks = [wrapLines(text, width, role), rest];
  const lines = isSmall(size) ? blocks.flat() : spaced(blocks);
  const gap: Line[] = isSmall(size) ? [] : [[]];
  const look = (isFocused: boolean) => ({ isBold: isFocused, isInverse: isFocused });
  const buttons: Line = [
    { text: `[ ${answer} ]`, role, key, ...look(isOnAnswer) },
    { text: "  " },
    { text: "[ Back ]", key: "escape", ...look(!isOnAnswer) },
  ];
  const end = [
    ...gap,
    ...refusal.slice(0, 4),
    ...(input ? inputLines(input.label, typed, width) : []),
    buttons,
  ];
  return { lines, end, page: Math.max(1, size.height - 2 - end.length) };
}

const MIN_INPUT = 10;

/** `type shop/production to confirm: `, and the input beside or below it. */
function inputLines(label: string, typed: TextField, width: number): Line[] {
  const left = width - textWidth(label);
  if (left < MIN_INPUT) return [...wrapLines(label, width, "warning"), focusedInput(typed, width)];
  return [[{ text: label, role: "warning" }, ...focusedInput(typed, left)]];
}

/** The text of the question whether to quit, if it is open. */
export function quitQuestion(state: State): string | undefined {
  const asked = dataOf(state, QUESTION);
  return asked?.kind === "quit" ? asked.text : undefined;
}

/**
 * Asks first if something would be lost. Pressing Ctrl-C again quits anyway.
 */
export function quit(state: State): State {
  const losses = layers(state).flatMap(({ screen, data }) => screen.lost?.(data) ?? []);
  const lost = state.pending?.lost ?? losses.at(-1);
  const run = (now: State) => effectOnly(now, (tools) => tools.quit());
  if (lost === undefined || quitQuestion(state)) return run(state);
  const text = `Quit${lost}? Press Ctrl-C again to quit.`;
  return ask(state, { kind: "quit", title: "Quit", text, key: "ctrl-x", run });
}
