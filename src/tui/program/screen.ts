import { variablesPanel } from "../screens/list.js";
import { placesPanel } from "../screens/places.js";
import { recordPanel } from "../screens/record.js";
import type { Command } from "../state/command.js";
import { isTooSmall, type Layout, layoutOf, MIN_SCREEN, questionSize, type Size } from "../state/layout.js";
import { isProduction } from "../state/places.js";
import type { State } from "../state/state.js";
import { asciiLine } from "../text/ascii.js";
import { type Line, line, lineWidth, wrapLines } from "../text/line.js";
import { type Panel, type PanelContent, type PanelPicture, panelPicture } from "../view/panel.js";
import { quitQuestion } from "../view/question.js";
import {
  actsOnMarked,
  commandHints,
  drawn,
  fixedHelpKey,
  hints,
  type KeyHint,
  keyLine,
  noticeLines,
  top,
} from "../view/screen.js";
import { headerLine } from "./header.js";

/**
 * A screen that is large enough, for drawing it and for finding the target of a click: the first line, up to three columns
 * from the left with panels from the top, and the last lines, usually one.
 */
export function screenContent(state: State, commands: readonly Command[]) {
  const body = bodyColumns(state, commands, layoutOf(state));
  return { header: headerLine(state), body, footer: footerLines(state, commands) };
}

function bodyColumns(state: State, commands: readonly Command[], layout: Layout): readonly (readonly Panel[])[] {
  const { focus } = state;
  const { places, variables, record } = layout;
  const { screen, data } = drawn(state) ?? {};
  const isOfProduction = showsProduction(state);
  const marked = (panels: readonly Panel[]) =>
    panels.map(({ size, content }) => ({ size, content: { ...content, isProduction: isOfProduction } }));
  const body = screen?.body?.(state, data, layout, commands);
  const shown = body?.filter(({ size: { height } }) => height > 0);
  if (shown) return [screen?.places ? marked(shown) : shown];
  const size = questionSize(layout);
  const question = screen?.panel?.(state, data, size);
  const left = panelsOf(places, (room) => placesPanel(state, room, focus === "places" && !question));
  // Where the places are alone, they fill the body.
  if (question) return [variables ? left : [], marked([{ size, content: question }])];
  const list = marked(panelsOf(variables, (room) => variablesPanel(state, room)));
  const detail = marked(panelsOf(record, (room) => recordPanel(state, room)));
  return record?.height === layout.body.height ? [left, list, detail] : [left, [...list, ...detail]];
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

/**
 * The line below the panels: the input of the filter or a command, a notice, or else the number that is typed and the keys
 * that work now. A notice or a problem can have several lines.
 */
function footerLines(state: State, commands: readonly Command[]): readonly Line[] {
  const { notice, columns, pending, count } = state;
  const open = top(state);
  const input = open?.screen.input?.(state, open.data);
  if (input) return input;
  if (notice) return noticeLines(notice, columns);
  if (pending && quitQuestion(state) === undefined) return [PREPARING];
  const typed: Line = count === undefined ? [] : [{ text: ` ${count} `, role: "warning", isBold: true }];
  const help = fixedHelpKey(state);
  const keys = open?.screen.hints?.(state, open.data) ?? commandHints(state, inOrder(state, commands));
  const isKept = ({ label }: KeyHint, index: number) => label === HELP || index === keys.length - 1;
  const others = keys.filter((hint, index) => !isKept(hint, index));
  const last = [...(help === undefined ? [] : hints(`${help} ${HELP}`)), ...keys.filter(isKept)];
  return [[...typed, ...keyLine(others, columns - lineWidth(typed), last)]];
}

/** Besides the last hint, how to leave, the one that is shown at any width. */
const HELP = "help";

/** First the commands that go into what is shown and those for what is marked, last those that leave it. */
function inOrder(state: State, commands: readonly Command[]): readonly Command[] {
  const { stack, focus } = state;
  const marked = actsOnMarked(state) ? ["copy-to", "copy", "delete"] : [];
  const first = [...(stack.length > 0 ? ["open", "next-panel"] : focus === "places" ? ["open"] : ["back"]), ...marked];
  const last = [HELP, stack.length > 0 ? "back" : "quit"];
  const named = (names: readonly string[]) =>
    names.flatMap((name) => commands.find((command) => command.name === name) ?? []);
  return [...named(first), ...commands.filter(({ name }) => ![...first, ...last].includes(name)), ...named(last)];
}

/** What is drawn: columns of panels side by side, between lines of the whole width. */
export interface Picture {
  readonly columns: number;
  readonly rows: number;
  readonly above: readonly Line[];
  readonly body: readonly (readonly PanelPicture[])[];
  readonly below: readonly Line[];
}

/** @param isAscii whether the terminal shows ASCII alone */
export function pictureOf(state: State, commands: readonly Command[], isAscii = false): Picture {
  const { columns, rows } = state;
  if (isTooSmall(state)) {
    const small = `The terminal is too small; it needs ${MIN_SCREEN.columns}x${MIN_SCREEN.rows}.`;
    const question = quitQuestion(state);
    const text = question === undefined ? `${small} Ctrl-C quits.` : `${question} ${small}`;
    return { columns, rows, above: wrapLines(text, columns, "text").slice(0, rows), body: [], below: [] };
  }
  const shown = (lines: readonly Line[]) => (isAscii ? lines.map(asciiLine) : lines);
  const { header, body, footer } = screenContent(state, commands);
  const panels = body.map((column) =>
    column.map(({ size, content }): PanelPicture => {
      const { border, lines, ...panel } = panelPicture(content, size);
      return { ...panel, border: isAscii ? "classic" : border, lines: shown(lines) };
    }),
  );
  return { columns, rows, above: shown([header]), body: panels, below: shown(footer) };
}
