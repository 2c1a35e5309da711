import { Box } from "ink";
import type { Command } from "../state/command.js";
import { type Layout, layoutOf, questionSize, type Size, SMALLEST } from "../state/layout.js";
import type { State } from "../state/state.js";
import { fitText } from "../text/fit-line.js";
import { ConfirmPanel } from "./confirm-panel.js";
import { DiffPanel } from "./diff-panel.js";
import { Footer } from "./footer.js";
import { FormPanel } from "./form-panel.js";
import { Header } from "./header.js";
import { HelpPanel } from "./help-panel.js";
import { PickPanel } from "./pick-panel.js";
import { PlacesPanel } from "./places-panel.js";
import { RecordPanel } from "./record-panel.js";
import { TextLine } from "./text-lines.js";
import { VariablesPanel } from "./variables-panel.js";

interface AppProps {
  readonly state: State;
  /** Those of browsing; footer and help show them. */
  readonly commands: readonly Command[];
}

/** The whole screen: `state.columns` wide and `state.rows` high. */
export function App({ state, commands }: AppProps) {
  const { columns, rows } = state;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return <TooSmall columns={columns} rows={rows} />;
  const layout = layoutOf(state);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Header state={state} />
      <Box width={columns} height={layout.body.height} flexShrink={0}>
        <Body state={state} commands={commands} layout={layout} />
      </Box>
      <Footer state={state} commands={commands} />
    </Box>
  );
}

function TooSmall({ columns, rows }: Pick<State, "columns" | "rows">) {
  const text = `too small: ${SMALLEST.columns}x${SMALLEST.rows} is needed; q quits`;
  return (
    <Box width={columns} height={rows}>
      <TextLine line={[{ text: fitText(text, columns) }]} />
    </Box>
  );
}

interface BodyProps extends AppProps {
  readonly layout: Layout;
}

function Body({ state, commands, layout }: BodyProps) {
  const { mode } = state;
  if (mode.kind === "help") return <HelpPanel commands={commands} size={layout.body} top={mode.top} />;
  if (mode.kind === "diff") return <DiffPanel state={state} mode={mode} size={layout.body} />;
  const isAsking = mode.kind === "pick" || mode.kind === "form" || mode.kind === "confirm";
  // In one column the places, when they are there, are all that is.
  const isOneColumn = layout.variables === undefined;
  return (
    <>
      {layout.places && !(isAsking && isOneColumn) && (
        <PlacesPanel state={state} size={layout.places} isFocused={state.focus === "places" && !isAsking} />
      )}
      {isAsking ? <Question state={state} size={questionSize(layout)} /> : <Panels state={state} layout={layout} />}
    </>
  );
}

/** What asks for something, in the place of variables and record. */
function Question({ state, size }: { readonly state: State; readonly size: Size }) {
  const { mode } = state;
  if (mode.kind === "pick") return <PickPanel state={state} size={size} cursor={mode.cursor} />;
  if (mode.kind === "form") return <FormPanel state={state} form={mode} size={size} />;
  return mode.kind === "confirm" ? <ConfirmPanel state={state} mode={mode} size={size} /> : undefined;
}

function Panels({ state, layout }: { readonly state: State; readonly layout: Layout }) {
  return (
    <Box flexDirection={layout.isRecordBeside ? "row" : "column"} flexShrink={0}>
      {layout.variables && <VariablesPanel state={state} size={layout.variables} />}
      {layout.record && <RecordPanel state={state} size={layout.record} />}
    </Box>
  );
}
