import type { Size } from "../state/layout.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/visible-text.js";
import { Panel } from "./panel.js";
import { placeLines } from "./places-panel.js";

interface PickPanelProps {
  readonly state: State;
  readonly size: Size;
  /** Index of the place that the cursor is on. */
  readonly cursor: number;
}

/** The places to compare the open one with. */
export function PickPanel({ state, size, cursor }: PickPanelProps) {
  return (
    <Panel
      size={size}
      title={`Compare ${visibleText(state.places[state.place]?.name ?? "")} with`}
      isFocused={true}
      lines={placeLines(state, cursor, size, true)}
    />
  );
}
