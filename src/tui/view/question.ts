import { command } from "../../domain/shell.js";
import { copyText } from "../reading/copying.js";
import { REVEAL_MS } from "../reading/reveal.js";
import { MASK } from "../reading/shown.js";
import { isSmall, type Size, textColumns } from "../state/layout.js";
import type { NewCredentials } from "../state/ports.js";
import type { Next, State, Step } from "../state/state.js";
import { calling, step } from "../state/work.js";
import { visibleText } from "../text/graphemes.js";
import { indented, type Line, labelled, line, wrapLine, wrapLines } from "../text/line.js";
import { commandKeyName, editKeyName, type Key } from "../widgets/key.js";
import { movedButton } from "../widgets/list.js";
import { editLine, type TextField, textField } from "../widgets/text-field.js";
import { buttonLine, type PanelContent, requiredLines } from "./panel.js";
import { dataOf, hints, layers, pop, push, type Screen, top, withData } from "./screen.js";

/** A question. Its answer runs something, or closes the screen that asks. */
interface Question {
  readonly title: string;
  readonly text: string;
  /** Its action: `Replace`. */
  readonly answer: string;
  /** Something is lost: the other button has the focus, and the key of the answer is Ctrl-X instead of Ctrl-S. */
  readonly isDestructive?: boolean;
  readonly run?: Next;
  readonly button: "yes" | "back";
  /** The word to type before; the input so far. */
  readonly required?: string | undefined;
  readonly typed: TextField;
  readonly problem?: string | undefined;
}

export function ask(state: State, question: Omit<Question, "button" | "typed">): Step {
  const button = question.isDestructive ? "back" : "yes";
  return step(push({ ...state, notice: undefined }, ASK, { ...question, button, typed: textField("") }));
}

/** The keys of questions with buttons. */
export const BUTTON_KEYS = "Enter press, Tab next button, Ctrl-S confirm";
const CONFIRM_KEYS = hints(`${BUTTON_KEYS}, Esc back`);
const LOSS_KEYS = hints("Enter press, Tab next button, Ctrl-X confirm, Esc back");

const ASK: Screen<Question> = {
  name: "question",
  key: askKey,
  panel: (_state, question, size) => askPanel(question, size),
  hints: (_state, { isDestructive }) => (isDestructive ? LOSS_KEYS : CONFIRM_KEYS),
};

function askKey(state: State, question: Question, key: Key): Step {
  const { button, required, typed } = question;
  const answerKey = question.isDestructive ? "ctrl-x" : "ctrl-s";
  const go = (change: Partial<Question>) => step(withData(state, ASK, { ...question, ...change }));
  const name = editKeyName(key);
  const moved = movedButton(["yes", "back"] as const, button, name);
  if (moved) return go({ button: moved });
  if (name === "escape" || (name === "enter" && button === "back")) return step(pop(state));
  if (name !== "enter" && name !== answerKey) {
    return required === undefined ? step(state) : go({ typed: editLine(typed, key), problem: undefined });
  }
  if (required !== undefined && typed.text.trim() !== required) return go({ problem: `first type ${required}` });
  return question.run ? question.run(pop(state)) : step(pop(state, 2));
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

const quitting: Next = (state) =>
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

/** Whether a question may open that no key has asked for just now. */
export function acceptsQuestion(state: State): boolean {
  const current = top(state);
  return current === undefined || current.screen.takesQuestions === true;
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
  const { title, text, answer, isDestructive, button, required, typed, problem } = question;
  const buttons = [
    { label: visibleText(answer), ...(isDestructive ? DESTRUCTIVE : HARMLESS) },
    { label: "Back", key: "escape", role: "text" },
  ] as const;
  const end = [
    ...(problem === undefined ? [] : wrapLines(`✗ ${problem}`, width, "danger")),
    ...(required === undefined ? [] : requiredLines(required, typed, width)),
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
