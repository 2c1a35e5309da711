import { command } from "../../domain/shell.js";
import { MASK, REVEAL_MS } from "../reading/reveal.js";
import { type ModeKey, runKey } from "../state/command.js";
import { type Size, textColumns } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import { type CredentialsMode, isQuitQuestion, type Mode, type Question } from "../state/modes.js";
import type { NewCredentials } from "../state/ports.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { indented, type Line, labelled, line, wrapLine, wrapLines } from "../text/line.js";
import { commandKeyName, editKeyName, type Key } from "../widgets/key.js";
import { movedButton } from "../widgets/list.js";
import { editLine, textField } from "../widgets/text-field.js";
import { buttonLine, type PanelContent, requiredLine } from "./panel.js";

/** Asks before an effect, or before the present mode is closed. */
export function ask(
  state: State,
  question: Pick<Question, "title" | "text" | "answer" | "isDestructive" | "effect" | "required">,
): Step {
  const button = question.isDestructive ? "back" : "yes";
  const mode: Question = { ...question, kind: "ask", button, typed: textField(""), back: state.mode };
  return step({ ...state, notice: undefined, mode });
}

export function askKey(state: State, question: Question, key: Key): Step {
  const { back, button, required, typed } = question;
  const answerKey = question.isDestructive ? "ctrl-x" : "ctrl-s";
  const go = (change: Partial<Question>) => step({ ...state, mode: { ...question, ...change } });
  const name = editKeyName(key);
  const moved = movedButton(["yes", "back"] as const, button, name);
  if (moved) return go({ button: moved });
  if (name === "escape" || (name === "enter" && button === "back")) return step({ ...state, mode: back });
  if (name !== "enter" && name !== answerKey) {
    return required === undefined ? step(state) : go({ typed: editLine(typed, key), problem: undefined });
  }
  if (required !== undefined && typed.text.trim() !== required) return go({ problem: `first type ${required}` });
  if (question.effect) return step({ ...state, mode: back }, question.effect);
  const closed: Mode = "back" in back && back.back ? back.back : { kind: "browse" };
  return step({ ...state, mode: closed });
}

/** Shows new credentials, masked, over everything else. They answer a question whether to quit without them. */
export function showCredentials(state: State, credentials: NewCredentials): State {
  const back = isQuitQuestion(state.mode) ? state.mode.back : state.mode;
  return { ...state, mode: { kind: "credentials", credentials, back } };
}

export const CREDENTIALS_KEYS: readonly ModeKey<CredentialsMode>[] = [
  { keys: "y", label: "copy", run: (state, { credentials }) => step(state, { type: "copyCredentials", credentials }) },
  { keys: "v", label: (state, mode) => `${isSecretShown(state, mode) ? "hide" : "show"} the secret`, run: showOrHide },
  { keys: "escape q", label: "close", run: close },
];

function close(state: State, { credentials: { environment } }: CredentialsMode): Step {
  const text = `Close the new credentials of ${environment}? ${againText(environment)}`;
  return ask(state, { title: "Close", text, answer: "Close", isDestructive: true });
}

export function credentialsKey(state: State, mode: CredentialsMode, key: Key): Step {
  return runKey(CREDENTIALS_KEYS, state, mode, commandKeyName(key)) ?? step(state);
}

function showOrHide(state: State, mode: CredentialsMode): Step {
  return step({ ...state, mode: { ...mode, until: isSecretShown(state, mode) ? undefined : state.now + REVEAL_MS } });
}

const HARMLESS = { key: "ctrl-s", role: "accent" } as const;
const DESTRUCTIVE = { key: "ctrl-x", role: "danger" } as const;

export function askPanel(question: Question, size: Size): PanelContent {
  const width = textColumns(size);
  const { title, text, answer, isDestructive, button, required, typed, problem } = question;
  const buttons = [
    { label: visibleText(answer), ...(isDestructive ? DESTRUCTIVE : HARMLESS) },
    { label: "Back", key: "escape", role: "text" },
  ] as const;
  const lines = [
    ...wrapLines(text, width, "accent"),
    [],
    ...(problem === undefined ? [] : wrapLines(`✗ ${problem}`, width, "danger")),
    ...(required === undefined ? [] : [requiredLine(required, typed, width)]),
    buttonLine(buttons, button === "yes" ? 0 : 1),
  ];
  return { title: visibleText(title), isFocused: true, lines: lines.map(indented) };
}

export function credentialsPanel(state: State, mode: CredentialsMode, size: Size): PanelContent {
  const { environment, apiKey, apiSecret } = mode.credentials;
  const width = textColumns(size);
  const secret = isSecretShown(state, mode) ? line(visibleText(apiSecret)) : line(MASK, "muted");
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
  return { title: "Credentials", isFocused: true, lines: lines.map(indented) };
}

/** How to see credentials later. */
function againText(environment: string): string {
  return command`appvars env credentials ${environment} prints them again.`;
}

/** Whether `v` has revealed the secret, which is for 30 seconds. */
function isSecretShown({ now }: Pick<State, "now">, { until = 0 }: CredentialsMode): boolean {
  return until > now;
}
