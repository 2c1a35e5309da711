import { requiredText } from "../edit/review-text.js";
import { matrixRows, tableOf } from "../reading/matrix-table.js";
import { DIFF_KEYS } from "../screens/diff.js";
import { MATRIX_KEYS } from "../screens/matrix.js";
import { actsIn, type Command, workingKeys } from "../state/command.js";
import { type CommandLine, type FormField, isQuitQuestion, type Matrix, type Mode } from "../state/modes.js";
import { isBeingWritten, type Notice, type State } from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, countText, fitLine, type Line, line, lineWidth, wrapWords } from "../text/line.js";
import { CREDENTIALS_KEYS } from "../view/question.js";
import { keyLabel, keyOfLabel } from "../widgets/key.js";
import { type TextField, textInput } from "../widgets/text-field.js";

type KeyHint = ReturnType<typeof hints>[number];

/** `Enter keep, Esc cancel` as hints. */
function hints(text: string) {
  return text.split(", ").map((each) => {
    const [key = "", ...label] = each.split(" ");
    return { key, name: keyOfLabel(key), label: label.join(" ") };
  });
}

const MODE_KEYS: Readonly<
  Record<
    Exclude<Mode["kind"], "browse" | "confirm" | "form" | "ask" | "diff" | "matrix" | "credentials">,
    readonly KeyHint[]
  >
> = {
  filter: hints("Enter keep, Esc cancel"),
  command: hints("Enter run, ↑↓ choose, Tab complete, Esc back"),
  help: hints("↑↓ scroll, Esc back"),
  copy: hints("↑↓ move, Enter copy, Esc back"),
  pick: hints("↑↓ move, Enter choose, Esc back"),
};
const FORM_KEYS: Readonly<Record<FormField, readonly KeyHint[]>> = {
  name: hints("Ctrl-S review, Tab next field, Esc cancel"),
  type: hints("Ctrl-S review, Tab next field, ←→ change type, Esc cancel"),
  value: hints("Ctrl-S review, Tab next field, Ctrl-J new line, Esc cancel"),
  description: hints("Ctrl-S review, Tab next field, Esc cancel"),
};
const LINES_KEYS = hints("Ctrl-S review, Tab next field, Enter new line, Esc cancel");
const BUTTON_KEYS = "Enter press, Tab next button, Ctrl-S confirm";
const CONFIRM_KEYS = hints(`${BUTTON_KEYS}, Esc back`);
const MASKED_KEYS = hints(`${BUTTON_KEYS}, v show values, Esc back`);
const REVEALED_KEYS = hints(`${BUTTON_KEYS}, v hide values, Esc back`);
const BUSY_KEYS = hints("Ctrl-C quit");
const LOSS_KEYS = hints("Enter press, Tab next button, Ctrl-X confirm, Esc back");
const PREPARING = line(" … please wait; Ctrl-C quits", "muted");

/** Commands whose keys are shown at any width. */
const ALWAYS: readonly string[] = ["help", "quit"];

/**
 * The line below the panels: the input of the filter or a command, a notice, or else the keys that work now. A notice
 * or a problem can have several lines.
 */
export function footerLines(state: State, commands: readonly Command[]): readonly Line[] {
  const { mode, notice, columns } = state;
  if (mode.kind === "command") return commandLines(mode, columns);
  const input = inputLine(state);
  if (input) return [input];
  if (notice) return noticeLines(notice, columns);
  return [state.pending && !isQuitQuestion(mode) ? PREPARING : keysLine(state, commands)];
}

function inputLine(state: State): Line | undefined {
  const { mode, columns } = state;
  if (mode.kind === "filter") return filterLine(state, mode.field);
  if (mode.kind === "diff" && mode.typing) {
    return searchLine(columns, mode.differences.length, mode.all.length, mode.typing.field);
  }
  if (mode.kind === "matrix" && mode.typed) return matrixFilterLine(state, mode, mode.typed.field);
  return undefined;
}

function keysLine(state: State, commands: readonly Command[]): Line {
  const { mode, columns } = state;
  if (mode.kind === "browse") {
    const isAlways = ({ name }: Command) => ALWAYS.includes(name);
    const others = commands.filter((each) => !isAlways(each));
    return keyLine(browseKeys(state, others), columns, browseKeys(state, commands.filter(isAlways)));
  }
  const keys = modeKeys(state, mode);
  // The last hint, how to leave, is always shown.
  return keyLine(keys.slice(0, -1), columns, keys.slice(-1));
}

/** The keys of a mode, the way back last. */
function modeKeys(state: State, mode: Exclude<Mode, { readonly kind: "browse" }>): readonly KeyHint[] {
  if (mode.kind === "diff") return hintsOf(workingKeys(DIFF_KEYS, state, mode));
  if (mode.kind === "matrix") return hintsOf(workingKeys(MATRIX_KEYS, state, mode));
  if (mode.kind === "credentials") return hintsOf(workingKeys(CREDENTIALS_KEYS, state, mode));
  if (mode.kind === "confirm") {
    if (isBeingWritten(state, mode)) return BUSY_KEYS;
    // Where a name is typed, v is a letter of it.
    if (requiredText(state, mode) !== undefined) return CONFIRM_KEYS;
    return mode.isRevealed ? REVEALED_KEYS : MASKED_KEYS;
  }
  if (mode.kind === "ask") return mode.isDestructive ? LOSS_KEYS : CONFIRM_KEYS;
  if (mode.kind === "form") {
    const hasLines = mode.field === "value" && mode.value.text.includes("\n");
    return hasLines ? LINES_KEYS : FORM_KEYS[mode.field];
  }
  return MODE_KEYS[mode.kind];
}

function hintsOf(keys: ReturnType<typeof workingKeys>): readonly KeyHint[] {
  return keys.map(({ name, label }) => ({ key: keyLabel(name), name, label }));
}

function filterLine({ columns, list, loaded }: State, field: TextField): Line {
  return searchLine(columns, list.rows.length, loaded.entries.length, field);
}

function matrixFilterLine(state: State, matrix: Matrix, field: TextField): Line {
  const table = tableOf(state);
  return searchLine(state.columns, matrixRows(table, matrix).length, table.names.length, field);
}

function searchLine(columns: number, found: number, all: number, field: TextField): Line {
  const count = `  ${countText(found)} of ${countText(all)} `;
  const keys = keyLine(MODE_KEYS.filter, columns);
  const input = textInput(field, columns - 2 - count.length - lineWidth(keys));
  return [{ text: " /", role: "accent" }, ...input, { text: count, role: "muted" }, ...keys];
}

/** A problem that doesn't fit beside the input is above it. */
function commandLines(mode: CommandLine, columns: number): readonly Line[] {
  const { field, problem = "" } = mode;
  const needed = textWidth(visibleText(field.text)) + textWidth(visibleText(problem)) + PROBLEM_WIDTH;
  if (problem === "" || needed <= columns) return [commandLine(mode, columns)];
  return [
    ...noticeLines({ text: problem, tone: "error" }, columns),
    commandLine({ ...mode, problem: undefined }, columns),
  ];
}

/** Columns besides the texts of the input and a problem: the colon, the cursor, the sign and spaces. */
const PROBLEM_WIDTH = 8;

function commandLine({ field, problem }: CommandLine, columns: number): Line {
  const room = columns - 2;
  const needed = Math.min(room, textWidth(visibleText(field.text)) + 1);
  // The last hint, how to leave, is always shown.
  const keys = () => keyLine(MODE_KEYS.command.slice(0, -1), room - needed, MODE_KEYS.command.slice(-1));
  const hint = problem === undefined ? keys() : line(`  ✗ ${visibleText(problem)} `, "danger");
  const width = Math.max(needed, room - lineWidth(hint));
  return [{ text: " :", role: "accent" }, ...textInput(field, width), ...fitLine(hint, room - width)];
}

const TONES = {
  info: { sign: "·", role: "accent" },
  success: { sign: "✓", role: "success" },
  error: { sign: "✗", role: "danger" },
} as const;

/** More would hide too much of the panels. */
const MAX_NOTICE_LINES = 5;

/** The whole notice, in as many lines as it takes: its end can be the reason of a failure. */
function noticeLines({ text, tone }: Pick<Notice, "text" | "tone">, columns: number): Line[] {
  const { sign, role } = TONES[tone];
  const width = columns - 4;
  const wrapped = wrapWords(visibleText(text), width);
  const rest = wrapped.slice(MAX_NOTICE_LINES - 1).join(" ");
  const shown = [...wrapped.slice(0, MAX_NOTICE_LINES - 1), ...(rest === "" ? [] : [cellText(rest, width)])];
  return shown.map((each, index) => [
    { text: index === 0 ? ` ${sign} ` : "   ", role, isBold: true },
    { text: each, role },
  ]);
}

/** The keys of commands that have a label and act now in the focused panel; first the one that opens a place or goes back. */
function browseKeys(state: State, commands: readonly Command[]): KeyHint[] {
  const here = commands.filter((command) => actsIn(command, state.focus));
  const isFirst = ({ name }: Command) => name === (state.focus === "places" ? "open" : "back");
  const sorted = [...here.filter(isFirst), ...here.filter((command) => !isFirst(command))];
  return sorted.flatMap(({ keys: [key], label: labels, disabledReason }) => {
    const label = typeof labels === "function" ? labels(state) : labels;
    if (key === undefined || label === undefined || disabledReason?.(state) !== undefined) return [];
    return hintsOf([{ name: key, label }]);
  });
}

/** ` y add  n back `: as many hints as fit into `width` columns, then those of `last`, which are always there. */
function keyLine(keys: readonly KeyHint[], width: number, last: readonly KeyHint[] = []): Line {
  let left = width - last.reduce((sum, hint) => sum + widthOf(hint), 0);
  const fitting = keys.filter((hint) => {
    left -= widthOf(hint);
    return left >= 0;
  });
  return [...fitting, ...last].flatMap(
    ({ key, name, label }): Line => [
      { text: " " },
      { text: key, role: "accent", key: name },
      { text: ` ${label} `, role: "muted", key: name },
    ],
  );
}

function widthOf({ key, label }: KeyHint): number {
  return textWidth(key) + textWidth(label) + 3;
}
