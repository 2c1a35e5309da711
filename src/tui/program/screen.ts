import { variablesPanel } from "../screens/list.js";
import { placesPanel } from "../screens/places.js";
import { recordPanel } from "../screens/record.js";
import type { Command } from "../state/command.js";
import { type Layout, layoutOf, questionSize, type Size } from "../state/layout.js";
import { isProduction } from "../state/places.js";
import type { State } from "../state/state.js";
import type { Line } from "../text/line.js";
import type { Panel, PanelContent } from "../view/panel.js";
import { top } from "../view/screen.js";
import { footerLines } from "./footer.js";
import { headerLine } from "./header.js";

interface ScreenContent {
  /** The first line. */
  readonly header: Line;
  /** Up to three columns from the left, in each the panels from the top. */
  readonly body: readonly (readonly Panel[])[];
  /** Covers the lower lines of the body. */
  readonly overlay: Panel | undefined;
  /** The last lines, usually one. */
  readonly footer: readonly Line[];
}

/** The layout of a screen that is large enough: for drawing it, and for finding the target of a click. */
export function screenContent(state: State, commands: readonly Command[]): ScreenContent {
  const open = top(state);
  const body = bodyColumns(state, commands, layoutOf(state));
  const overlay = open?.screen.overlay?.(state, open.data, commands);
  return { header: headerLine(state), body, overlay, footer: footerLines(state, commands) };
}

function bodyColumns(state: State, commands: readonly Command[], layout: Layout): readonly (readonly Panel[])[] {
  const { focus } = state;
  const { places, variables, record, isRecordBeside } = layout;
  const { screen, data } = top(state) ?? {};
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
  const open = top(state);
  const shown = open?.screen.places?.(state, open.data) ?? [state.place];
  return shown.some((index) => state.places[index] !== undefined && isProduction(state.places[index]));
}

/** One panel, or none if there is no room for it. */
function panelsOf(size: Size | undefined, contentFor: (size: Size) => PanelContent): readonly Panel[] {
  return size ? [{ size, content: contentFor(size) }] : [];
}
