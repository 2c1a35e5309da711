import { variablesPanel } from "../screens/list.js";
import { placesPanel } from "../screens/places.js";
import { recordPanel } from "../screens/record.js";
import type { Command } from "../state/command.js";
import { isTooSmall, type Layout, layoutOf, MIN_SCREEN, questionSize, type Size } from "../state/layout.js";
import { isProduction } from "../state/places.js";
import type { State } from "../state/state.js";
import { type Line, line, paintLine, wrapLines } from "../text/line.js";
import type { Theme } from "../text/theme.js";
import { type Panel, type PanelContent, panelLines } from "../view/panel.js";
import { isQuitQuestion, quitQuestion } from "../view/question.js";
import { commandHints, drawn, fixedHelpKey, hints, type KeyHint, keyLine, noticeLines, top } from "../view/screen.js";
import { headerLine } from "./header.js";

interface ScreenContent {
  /** The first line. */
  readonly header: Line;
  /** Up to three columns from the left, in each the panels from the top. */
  readonly body: readonly (readonly Panel[])[];
  /** The last lines, usually one. */
  readonly footer: readonly Line[];
}

/** The layout of a screen that is large enough: for drawing it, and for finding the target of a click. */
export function screenContent(state: State, commands: readonly Command[]): ScreenContent {
  const body = bodyColumns(state, commands, layoutOf(state));
  return { header: headerLine(state), body, footer: footerLines(state, commands) };
}

function bodyColumns(state: State, commands: readonly Command[], layout: Layout): readonly (readonly Panel[])[] {
  const { focus } = state;
  const { places, variables, record, isRecordBeside } = layout;
  const { screen, data } = drawn(state) ?? {};
  const isOfProduction = showsProduction(state);
  const marked = (panels: readonly Panel[]) =>
    panels.map(({ size, content }) => ({ size, content: { ...content, isProduction: isOfProduction } }));
  const body = screen?.body?.(state, data, layout, commands);
  if (body) return screen?.places ? body.map(marked) : body;
  const size = questionSize(layout);
  const question = screen?.panel?.(state, data, size);
  const left = panelsOf(places, (room) => placesPanel(state, room, focus === "places" && !question));
  // In one column, the places fill the body when they are visible.
  if (question) return [variables ? left : [], marked([{ size, content: question }])];
  const list = marked(panelsOf(variables, (room) => variablesPanel(state, room)));
  const detail = marked(panelsOf(record, (room) => recordPanel(state, room)));
  return isRecordBeside ? [left, list, detail] : [left, [...list, ...detail]];
}

/** Whether the screen is about production: the open place, or those that the top screen shows or edits. */
function showsProduction(state: State): boolean {
  const open = drawn(state);
  const shown = open?.screen.places?.(state, open.data) ?? [state.place];
  return shown.some((index) => state.places[index] !== undefined && isProduction(state.places[index]));
}

/** One panel, or none if there is no room for it. */
function panelsOf(size: Size | undefined, contentFor: (size: Size) => PanelContent): readonly Panel[] {
  return size ? [{ size, content: contentFor(size) }] : [];
}

const PREPARING = line(" … please wait; Ctrl-C quits", "muted");

/** Commands whose keys are shown at any width. */
const ALWAYS: readonly string[] = ["help", "quit"];

/**
 * The line below the panels: the input of the filter or a command, a notice, or else the keys that work now. A notice
 * or a problem can have several lines.
 */
function footerLines(state: State, commands: readonly Command[]): readonly Line[] {
  const { notice, columns, pending } = state;
  const open = top(state);
  const input = open?.screen.input?.(state, open.data);
  if (input) return input;
  if (notice) return noticeLines(notice, columns);
  if (pending && !isQuitQuestion(state)) return [PREPARING];
  if (!open) return [listKeys(state, commands)];
  const keys = open.screen.hints?.(state, open.data) ?? screenKeys(state, commands);
  // How to leave, which is the last hint, and the help are always shown.
  return [keyLine(keys.slice(0, -1), columns, [...helpHints(state, commands), ...keys.slice(-1)])];
}

function helpHints(state: State, commands: readonly Command[]): readonly KeyHint[] {
  const key = fixedHelpKey(state);
  return key === undefined
    ? commandHints(
        state,
        commands.filter(({ name }) => name === "help"),
      )
    : hints(`${key} help`);
}

/** The keys of the list; first the one that opens a place or goes back. */
function listKeys(state: State, commands: readonly Command[]): Line {
  const first = state.focus === "places" ? "open" : "back";
  const others = commands.filter(({ name }) => !ALWAYS.includes(name));
  const always = commands.filter(({ name }) => ALWAYS.includes(name));
  return keyLine(commandHints(state, firstOf(others, [first])), state.columns, commandHints(state, always));
}

/** The keys of commands on a screen: first how to go into what is shown, last how to leave. */
function screenKeys(state: State, commands: readonly Command[]): readonly KeyHint[] {
  const inner = commands.filter(({ name }) => !ALWAYS.includes(name) && name !== "back");
  const last = commands.filter(({ name }) => name === "back");
  return commandHints(state, [...firstOf(inner, ["open", "next-panel"]), ...last]);
}

function firstOf(commands: readonly Command[], names: readonly string[]): readonly Command[] {
  const isFirst = ({ name }: Command) => names.includes(name);
  return [...commands.filter(isFirst), ...commands.filter((each) => !isFirst(each))];
}

/** The painted screen: columns side by side, between lines of the whole width. */
export interface Picture {
  readonly columns: number;
  readonly rows: number;
  readonly above: readonly string[];
  readonly body: readonly { readonly width: number; readonly lines: readonly string[] }[];
  readonly below: readonly string[];
}

/** Paints what is on the screen. */
export function pictureOf(state: State, commands: readonly Command[], theme: Theme): Picture {
  const { columns, rows } = state;
  const painted = (lines: readonly Line[]) => lines.map((line) => paintLine(line, theme));
  if (isTooSmall(state)) {
    const small = `Too small: ${MIN_SCREEN.columns}x${MIN_SCREEN.rows} is needed.`;
    const question = quitQuestion(state);
    const text = question === undefined ? `${small} Ctrl-C quits.` : `${question} ${small}`;
    return { columns, rows, above: painted(wrapLines(text, columns, "text").slice(0, rows)), body: [], below: [] };
  }
  const { header, body, footer } = screenContent(state, commands);
  const height = rows - 1 - footer.length;
  return {
    columns,
    rows,
    above: painted([header]),
    body: body.map((panels) => ({
      width: panels[0]?.size.width ?? 0,
      lines: painted(panels.flatMap(({ size, content }) => panelLines(content, size)).slice(0, height)),
    })),
    below: painted(footer),
  };
}
