import { Box } from "ink";
import type { Command } from "../state/command.js";
import { diffSizes, type Layout, layoutOf, MIN_SCREEN, questionSize, type Size } from "../state/layout.js";
import type { Comparison, State } from "../state/state.js";
import { fitText, line } from "../text/line.js";
import { confirmPanel } from "../view/confirm-panel.js";
import { differencePanel, diffPanel } from "../view/diff-panel.js";
import { footerLine } from "../view/footer-line.js";
import { formPanel } from "../view/form-panel.js";
import { headerLine } from "../view/header-line.js";
import { helpPanel } from "../view/help-panel.js";
import type { PanelContent } from "../view/panel-content.js";
import { pickPanel, placesPanel } from "../view/places-panel.js";
import { recordPanel } from "../view/record-panel.js";
import { variablesPanel } from "../view/variables-panel.js";
import { Panel, TextLines } from "./text-lines.js";

interface AppProps {
  readonly state: State;
  /** The commands of browse mode, for the footer and the help. */
  readonly commands: readonly Command[];
}

export function App({ state, commands }: AppProps) {
  const { columns, rows } = state;
  if (columns < MIN_SCREEN.columns || rows < MIN_SCREEN.rows) return <TooSmall columns={columns} rows={rows} />;
  const layout = layoutOf(state);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <TextLines lines={[headerLine(state)]} />
      <Box width={columns} height={layout.body.height} flexShrink={0}>
        <Body state={state} commands={commands} layout={layout} />
      </Box>
      <TextLines lines={[footerLine(state, commands)]} />
    </Box>
  );
}

function TooSmall({ columns, rows }: Pick<State, "columns" | "rows">) {
  const text = `too small: ${MIN_SCREEN.columns}x${MIN_SCREEN.rows} is needed; q quits`;
  return (
    <Box width={columns} height={rows}>
      <TextLines lines={[line(fitText(text, columns))]} />
    </Box>
  );
}

interface BodyProps extends AppProps {
  readonly layout: Layout;
}

function Body({ state, commands, layout }: BodyProps) {
  const { mode, focus } = state;
  if (mode.kind === "help") return <Panel size={layout.body} content={helpPanel(commands, mode.top, layout.body)} />;
  if (mode.kind === "diff") return <Diff state={state} comparison={mode} layout={layout} />;
  const size = questionSize(layout);
  const question = questionPanel(state, size);
  // In one column, the places fill the body when they are visible.
  const isOneColumn = layout.variables === undefined;
  const places = question && isOneColumn ? undefined : layout.places;
  return (
    <>
      {places && <Panel size={places} content={placesPanel(state, places, focus === "places" && !question)} />}
      {question ? <Panel size={size} content={question} /> : <Panels state={state} layout={layout} />}
    </>
  );
}

/** The panel of a mode that asks for something, which replaces variables and record. */
function questionPanel(state: State, size: Size): PanelContent | undefined {
  const { mode } = state;
  if (mode.kind === "pick") return pickPanel(state, mode.cursor, size);
  if (mode.kind === "form") return formPanel(state, mode, size);
  return mode.kind === "confirm" ? confirmPanel(state, mode, size) : undefined;
}

function Panels({ state, layout: { variables, record, isRecordBeside } }: Omit<BodyProps, "commands">) {
  return (
    <Box flexDirection={isRecordBeside ? "row" : "column"} flexShrink={0}>
      {variables && <Panel size={variables} content={variablesPanel(state, variables)} />}
      {record && <Panel size={record} content={recordPanel(state, record)} />}
    </Box>
  );
}

interface DiffProps extends Omit<BodyProps, "commands"> {
  readonly comparison: Comparison;
}

function Diff({ state, comparison, layout }: DiffProps) {
  const { list, detail } = diffSizes(layout);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Panel size={list} content={diffPanel(state, comparison, list)} />
      <Panel size={detail} content={differencePanel(state, comparison, detail)} />
    </Box>
  );
}
