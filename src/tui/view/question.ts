import { command } from "../../domain/shell.js";
import { copyText } from "../reading/copying.js";
import { REVEAL_MS } from "../reading/reveal.js";
import { MASK } from "../reading/shown.js";
import { isSmall, type Size, textColumns } from "../state/layout.js";
import type { NewCredentials } from "../state/ports.js";
import { notify, type State, type Step } from "../state/state.js";
import { calling, step } from "../state/work.js";
import { visibleText } from "../text/graphemes.js";
import { indented, type Line, labelled, line, wrapLine, wrapLines } from "../text/line.js";
import { commandKeyName, editKeyName, type Key } from "../widgets/key.js";
import { movedButton } from "../widgets/list.js";
import { editLine, type TextField, textField } from "../widgets/text-field.js";
import { buttonLine, inputLines, type PanelContent } from "./panel.js";
import { changeData, dataOf, hints, layers, pop, push, type Screen, top, withData } from "./screen.js";

/** A question. Its answer runs something, or closes the screen that asks. */
interface Question {
  readonly title: string;
  readonly text: string;
  /** Its action: `Replace`. */
  readonly answer: string;
  /** Something is lost: the other button has the focus, and the key of the answer is Ctrl-X instead of Ctrl-S. */
  readonly isDestructive?: boolean;
  /** @param text the input */
  readonly run?: (state: State, text: string) => Step;
  readonly button: "yes" | "back";
  readonly input?: Input | undefined;
  /** The input so far. */
  readonly typed: TextField;
  readonly problem?: string | undefined;
}

/** A text that is typed for the answer. */
interface Input {
  readonly label: string;
  /** Why a text is no answer. */
  readonly check: (text: string) => string | undefined;
  /** Whether it is the path of a file: Tab completes it. */
  readonly isPath?: true;
}

/** A word that has to be typed before. */
export function requiredInput(word: string): Input {
  const check = (text: string) => (text === word ? undefined : `first type ${word}`);
  return { label: `type ${visibleText(word)} to confirm: `, check };
}

export function ask(state: State, question: Omit<Question, "button" | "typed">): Step {
  const button = question.isDestructive ? "back" : "yes";
  return step(push({ ...state, notice: undefined }, ASK, { ...question, button, typed: textField("") }));
}

/** Asks for a text and goes on with it, unless it has been typed already. */
export function askText(
  state: State,
  typed: string,
  question: Pick<Question, "title" | "text"> & Required<Pick<Question, "run">> & { readonly input: Input },
): Step {
  if (typed === "") return ask(state, { ...question, answer: question.title });
  const problem = question.input.check(typed);
  return problem === undefined ? question.run(state, typed) : step(notify(state, problem, "error"));
}

/** The keys of questions with buttons. */
export const BUTTON_KEYS = "Enter press, Tab next button, Ctrl-S confirm";
const MORE_KEYS = hints("Shift-Tab previous button, ←→ other button");
const CONFIRM_KEYS = hints(`${BUTTON_KEYS}, Esc back`);
const PATH_KEYS = hints("Enter confirm, Tab complete, Esc back");
const LOSS_KEYS = hints("Enter press, Tab next button, Ctrl-X confirm, Esc back");

const ASK: Screen<Question> = {
  name: "question",
  key: askKey,
  panel: (_state, question, size) => askPanel(question, size),
  hints: (_state, { isDestructive, input }) => (input?.isPath ? PATH_KEYS : isDestructive ? LOSS_KEYS : CONFIRM_KEYS),
  more: MORE_KEYS,
  types: (_state, { input }) => input !== undefined,
};

function askKey(state: State, question: Question, key: Key): Step {
  const { button, input, typed } = question;
  const go = (change: Partial<Question>) => step(withData(state, ASK, { ...question, ...change }));
  const name = editKeyName(key);
  if (input?.isPath && name === "tab") return completePath(state, typed);
  const moved = input?.isPath ? undefined : movedButton(["yes", "back"] as const, button, name);
  if (moved) return go({ button: moved });
  if (name === "escape" || (name === "enter" && button === "back")) return step(pop(state));
  if (name !== "enter" && name !== (question.isDestructive ? "ctrl-x" : "ctrl-s")) {
    return input ? go({ typed: editLine(typed, key), problem: undefined }) : step(state);
  }
  const text = typed.text.trim();
  const problem = input?.check(text);
  if (problem !== undefined) return go({ problem });
  return question.run ? question.run(pop(state), text) : step(pop(state, 2));
}

/** Completes a path as far as only one is possible; in quotes if it has spaces. */
function completePath(state: State, typed: TextField): Step {
  const [, folder = "", start = ""] = /^"?(.*\/)?([^/]*)$/u.exec(typed.text) ?? [];
  return step(state, async ({ listFolder }) => {
    const names = (await listFolder(folder)).filter((name) => name.startsWith(start));
    const [first = start] = names;
    const isShared = (end: number) => names.every((name) => name.startsWith(first.slice(0, end)));
    const end = Array.from(first, (_, index) => index + 1).findLast(isShared) ?? 0;
    const path = folder + first.slice(0, end);
    const isWhole = names.length === 1 && !path.endsWith("/");
    const text = /\s/u.test(path) ? `"${path}${isWhole ? '"' : ""}` : path;
    return (now) => {
      return step(changeData(now, ASK, (open) => (open.typed === typed ? { ...open, typed: textField(text) } : open)));
    };
  });
}

/** The question that is open because Ctrl-C was pressed where something would be lost; undefined if none is. */
export function quitQuestion(state: State): string | undefined {
  const question = dataOf(state, ASK);
  return question?.run === quitting ? question.text : undefined;
}

export function isQuitQuestion(state: State): boolean {
  return quitQuestion(state) !== undefined;
}

/** Ctrl-C quits at once unless something would be lost: then it asks, and quits when it is pressed again. */
export function quit(state: State): Step {
  const lost = isQuitQuestion(state) ? undefined : lostText(state);
  if (lost === undefined) return quitting(state);
  const text = `Quit${lost}? Ctrl-C again quits.`;
  return ask(state, { title: "Quit", text, answer: "Quit", isDestructive: true, run: quitting });
}

const quitting = (state: State) =>
  step(
    state,
    calling((tools) => tools.quit()),
  );

/** The loss that the question before quitting names: new credentials, shown or about to be, or typed text. */
function lostText(state: State): string | undefined {
  if (state.pending?.lost !== undefined) return state.pending.lost;
  const current = top(state);
  if (current?.screen.isBusy?.(state, current.data)) return undefined;
  return layers(state)
    .flatMap(({ screen, data }) => screen.lost?.(data) ?? [])
    .at(-1);
}

/** Whether a question may open that no key has asked for just now: elsewhere, an Enter meant for something else answers it. */
export function acceptsQuestion(state: State): boolean {
  const current = top(state);
  return current === undefined || current.screen.table !== undefined;
}

interface Credentials {
  readonly credentials: NewCredentials;
  /** Until when the secret is shown. */
  readonly until?: number | undefined;
}

/** Shows new credentials, masked, over everything else. They answer a question whether to quit without them. */
export function showCredentials(state: State, credentials: NewCredentials): State {
  return push(isQuitQuestion(state) ? pop(state) : state, CREDENTIALS, { credentials });
}

const CREDENTIALS: Screen<Credentials> = {
  name: "credentials",
  key: credentialsKey,
  panel: credentialsPanel,
  hints: (state, data) => hints(`y copy, v ${isSecretShown(state, data) ? "hide" : "show"} the secret, Esc close`),
  lost: ({ credentials }) => ` without the new credentials of ${credentials.environment}`,
};

function credentialsKey(state: State, data: Credentials, key: Key): Step {
  const { lines } = data.credentials;
  switch (commandKeyName(key)) {
    case "y":
      return copyText(state, "the credentials", async () => ({ text: lines.join("\n") }));
    case "v":
      return showOrHide(state, data);
    case "escape":
    case "q":
      return close(state, data);
    default:
      return step(state);
  }
}

function close(state: State, { credentials: { environment } }: Credentials): Step {
  const text = `Close the new credentials of ${environment}? ${againText(environment)}`;
  return ask(state, { title: "Close", text, answer: "Close", isDestructive: true });
}

function showOrHide(state: State, shown: Credentials): Step {
  return step(
    withData(state, CREDENTIALS, { ...shown, until: isSecretShown(state, shown) ? undefined : state.now + REVEAL_MS }),
  );
}

const HARMLESS = { key: "ctrl-s", role: "accent" } as const;
const DESTRUCTIVE = { key: "ctrl-x", role: "danger" } as const;

function askPanel(question: Question, size: Size): PanelContent {
  const width = textColumns(size);
  const { title, text, answer, isDestructive, button, input, typed, problem } = question;
  const buttons = [
    { label: visibleText(answer), ...(isDestructive ? DESTRUCTIVE : HARMLESS) },
    { label: "Back", key: "escape", role: "text" },
  ] as const;
  const end = [
    ...(problem === undefined ? [] : wrapLines(`✗ ${problem}`, width, "danger")),
    ...(input ? inputLines(input.label, typed, width) : []),
    buttonLine(buttons, button === "yes" ? 0 : 1),
  ];
  // The buttons are always visible.
  const lines = [...wrapLines(text, width, "accent"), []].slice(0, size.height - 2 - end.length);
  return { title: visibleText(title), isFocused: true, lines: [...lines, ...end].map(indented) };
}

function credentialsPanel(state: State, shown: Credentials, size: Size): PanelContent {
  const { environment, apiKey, apiSecret } = shown.credentials;
  const width = textColumns(size);
  const secret = isSecretShown(state, shown) ? line(visibleText(apiSecret)) : line(MASK, "muted");
  const lines: Line[] = [
    ...wrapLines(`The new credentials of ${environment}`, width, "accent"),
    [],
    ...wrapLine(labelled("API key", line(visibleText(apiKey))), width),
    ...wrapLine(labelled("API secret", secret), width),
    [],
    ...wrapLines(
      `y copies the lines that configure a shell, with the secret. ${againText(environment)}`,
      width,
      "muted",
    ),
  ];
  const shownLines = isSmall(size) ? lines.filter(({ length }) => length > 0) : lines;
  return { title: "Credentials", isFocused: true, lines: shownLines.map(indented) };
}

/** How to see credentials later. */
function againText(environment: string): string {
  return command`appvars env credentials ${environment} prints them again.`;
}

/** Whether `v` has revealed the secret, which is for 30 seconds. */
function isSecretShown({ now }: Pick<State, "now">, { until = 0 }: Credentials): boolean {
  return until > now;
}
