import { formPanel } from "../edit/form-panel.js";
import { confirmPanel } from "../edit/review.js";
import { groupOf } from "../reading/others.js";
import { candidatesPanel } from "../screens/candidates.js";
import { copyPanel } from "../screens/copy.js";
import { differencePanel, diffPanel } from "../screens/diff-panel.js";
import { helpPanel } from "../screens/help.js";
import { variablesPanel } from "../screens/list.js";
import { matrixDetail, matrixPanel } from "../screens/matrix-panel.js";
import { pickPanel, placesPanel } from "../screens/places.js";
import { recordPanel } from "../screens/record.js";
import type { Command } from "../state/command.js";
import { diffSizes, type Layout, layoutOf, matrixSizes, questionSize, type Size } from "../state/layout.js";
import { showsProduction } from "../state/places.js";
import type { State } from "../state/state.js";
import type { Line } from "../text/line.js";
import type { PanelContent } from "../view/panel.js";
import { askPanel, credentialsPanel } from "../view/question.js";
import { footerLines } from "./footer.js";
import { headerLine } from "./header.js";

export interface Panel {
  readonly size: Size;
  readonly content: PanelContent;
}

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
  const { mode } = state;
  const body = panelColumns(state, commands, layoutOf(state));
  const overlay = mode.kind === "command" ? candidatesPanel(state, mode, commands) : undefined;
  return { header: headerLine(state), body, overlay, footer: footerLines(state, commands) };
}

function panelColumns(state: State, commands: readonly Command[], layout: Layout): readonly (readonly Panel[])[] {
  const { mode, focus } = state;
  const { body, places, variables, record, isRecordBeside } = layout;
  const look = { isProduction: showsProduction(state) };
  if (mode.kind === "help") return [[{ size: body, content: helpPanel(commands, mode, body) }]];
  if (mode.kind === "diff") {
    const { list, detail } = diffSizes(layout, mode.focus);
    const differences = { size: list, content: { ...diffPanel(state, mode, list), ...look } };
    return [[differences, { size: detail, content: { ...differencePanel(state, mode, detail), ...look } }]];
  }
  if (mode.kind === "matrix") {
    const { list, detail } = matrixSizes(layout, groupOf(state).length);
    const names = { size: list, content: { ...matrixPanel(state, mode, list), ...look } };
    return [[names, { size: detail, content: { ...matrixDetail(state, mode, detail), ...look } }]];
  }
  const size = questionSize(layout);
  const question = questionPanel(state, size);
  const left = panelsOf(places, (room) => placesPanel(state, room, focus === "places" && !question));
  // In one column, the places fill the body when they are visible.
  if (question) return [variables ? left : [], [{ size, content: { ...question, ...look } }]];
  const list = panelsOf(variables, (room) => ({ ...variablesPanel(state, room), ...look }));
  const detail = panelsOf(record, (room) => ({ ...recordPanel(state, room), ...look }));
  return isRecordBeside ? [left, list, detail] : [left, [...list, ...detail]];
}

/** One panel, or none if there is no room for it. */
function panelsOf(size: Size | undefined, contentFor: (size: Size) => PanelContent): readonly Panel[] {
  return size ? [{ size, content: contentFor(size) }] : [];
}

/** The panel of a mode that asks for something, which replaces variables and record. */
function questionPanel(state: State, size: Size): PanelContent | undefined {
  const { mode } = state;
  if (mode.kind === "pick") return pickPanel(state, mode, size);
  if (mode.kind === "copy") return copyPanel(state, mode, size);
  if (mode.kind === "form") return formPanel(state, mode, size);
  if (mode.kind === "ask") return askPanel(mode, size);
  if (mode.kind === "credentials") return credentialsPanel(state, mode, size);
  return mode.kind === "confirm" ? confirmPanel(state, mode, size) : undefined;
}
