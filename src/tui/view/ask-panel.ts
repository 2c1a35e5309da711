import { command } from "../../domain/shell.js";
import { MASK } from "../browse/reveal.js";
import { type Size, textColumns } from "../state/layout.js";
import type { CredentialsMode, Question } from "../state/modes.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { indented, type Line, labelled, line, wrapLine, wrapLines } from "../text/line.js";
import { buttonLine, type PanelContent, requiredLine } from "./panel-content.js";

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
export function againText(environment: string): string {
  return command`appvars env credentials ${environment} prints them again.`;
}

/** Whether `v` has revealed the secret, which is for 30 seconds. */
export function isSecretShown({ now }: Pick<State, "now">, { until = 0 }: CredentialsMode): boolean {
  return until > now;
}
