import { Box, Transform } from "ink";
import { createContext, useContext } from "react";
import type { Command } from "../state/command.js";
import { diffSizes, type Layout, layoutOf, MIN_SCREEN, questionSize, type Size } from "../state/layout.js";
import type { State } from "../state/state.js";
import { fitText, type Line, line } from "../text/line.js";
import { paintLine } from "../text/paint-line.js";
import { createTheme, type Theme } from "../text/theme.js";
import { confirmPanel } from "../view/confirm-panel.js";
import { differencePanel, diffPanel } from "../view/diff-panel.js";
import { footerLine } from "../view/footer-line.js";
import { formPanel } from "../view/form-panel.js";
import { headerLine } from "../view/header-line.js";
import { helpPanel } from "../view/help-panel.js";
import { type PanelContent, panelLines } from "../view/panel-content.js";
import { pickPanel, placesPanel } from "../view/places-panel.js";
import { recordPanel } from "../view/record-panel.js";
import { variablesPanel } from "../view/variables-panel.js";

interface AppProps {
  readonly state: State;
  /** The commands of browse mode, for the footer and the help. */
  readonly commands: readonly Command[];
}

export function App({ state, commands }: AppProps) {
  const { columns, rows } = state;
  if (columns < MIN_SCREEN.columns || rows < MIN_SCREEN.rows) {
    const text = `too small: ${MIN_SCREEN.columns}x${MIN_SCREEN.rows} is needed; q quits`;
    return (
      <Box width={columns} height={rows}>
        <TextLines lines={[line(fitText(text, columns))]} />
      </Box>
    );
  }
  const layout = layoutOf(state);
  const [left = [], middle = [], right = []] = panelColumns(state, commands, layout);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <TextLines lines={[headerLine(state)]} />
      <Box width={columns} height={layout.body.height} flexShrink={0}>
        <Panels panels={left} />
        <Panels panels={middle} />
        <Panels panels={right} />
      </Box>
      <TextLines lines={[footerLine(state, commands)]} />
    </Box>
  );
}

/** The panels between header and footer: up to three columns from the left, in each the panels from the top. */
function panelColumns(state: State, commands: readonly Command[], layout: Layout): readonly (readonly Panel[])[] {
  const { mode, focus } = state;
  const { body, places, variables, record, isRecordBeside } = layout;
  if (mode.kind === "help") return [[{ size: body, content: helpPanel(commands, mode.top, body) }]];
  if (mode.kind === "diff") {
    const { list, detail } = diffSizes(layout);
    const differences = { size: list, content: diffPanel(state, mode, list) };
    return [[differences, { size: detail, content: differencePanel(state, mode, detail) }]];
  }
  const size = questionSize(layout);
  const question = questionPanel(state, size);
  const left = panelsOf(places, (room) => placesPanel(state, room, focus === "places" && !question));
  // In one column, the places fill the body when they are visible.
  if (question) return [variables ? left : [], [{ size, content: question }]];
  const list = panelsOf(variables, (room) => variablesPanel(state, room));
  const detail = panelsOf(record, (room) => recordPanel(state, room));
  return isRecordBeside ? [left, list, detail] : [left, [...list, ...detail]];
}

/** One panel, or none if there is no room for it. */
function panelsOf(size: Size | undefined, contentFor: (size: Size) => PanelContent): readonly Panel[] {
  return size ? [{ size, content: contentFor(size) }] : [];
}

/** The panel of a mode that asks for something, which replaces variables and record. */
function questionPanel(state: State, size: Size): PanelContent | undefined {
  const { mode } = state;
  if (mode.kind === "pick") return pickPanel(state, mode.cursor, size);
  if (mode.kind === "form") return formPanel(state, mode, size);
  return mode.kind === "confirm" ? confirmPanel(state, mode, size) : undefined;
}

/** The theme of the components below; by default the one without colors. */
export const ThemeContext = createContext<Theme>(createTheme("plain"));

/**
 * Lines of the screen, one below the other, none of them wider than the box.
 *
 * Ink lays out blank lines, and what is on them is put in when they are drawn. Ink measures each grapheme of a text that
 * it lays out, in every frame, and caches the text for as long as the program runs: slow, and no place for values.
 */
export function TextLines({ lines }: { readonly lines: readonly Line[] }) {
  const theme = useContext(ThemeContext);
  const painted = lines.map((line) => paintLine(line, theme));
  const blanks = Array.from(lines, () => " ").join("\n");
  return <Transform transform={(_, index) => painted[index] ?? ""}>{blanks}</Transform>;
}

export interface Panel {
  readonly size: Size;
  readonly content: PanelContent;
}

/** Panels of one width, one below the other. */
export function Panels({ panels }: { readonly panels: readonly Panel[] }) {
  return (
    <Box width={panels[0]?.size.width ?? 0} flexShrink={0}>
      <TextLines lines={panels.flatMap(({ size, content }) => panelLines(content, size))} />
    </Box>
  );
}
