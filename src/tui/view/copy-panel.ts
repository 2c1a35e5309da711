import type { VariableEntry } from "../../domain/source.js";
import { COPY_ITEMS, type CopyFormat, type CopyItem } from "../state/copy-formats.js";
import type { Size } from "../state/layout.js";
import type { CopyMode, State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { countText, fitText, type Line } from "../text/line.js";
import { GAP, type PanelContent, rowLines } from "./panel-content.js";
import { placeName } from "./places-panel.js";

const HELP: Partial<Record<CopyFormat, string>> = {
  "name=value": "for a .env file",
  command: "prints the value",
};

const FORMAT_WIDTH = 10;

/** The menu of formats. */
export function copyPanel(
  state: State,
  { entries, cursor }: Pick<CopyMode, "entries" | "cursor">,
  { height }: Size,
): PanelContent {
  const page = height - 2;
  const position = { cursor, top: Math.max(0, cursor - page + 1) };
  return {
    title: `Copy ${named(entries)}`,
    footnote: COPY_ITEMS.length > page ? `${cursor + 1}/${COPY_ITEMS.length}` : undefined,
    isFocused: true,
    lines: rowLines(COPY_ITEMS, position, page, true, (item) => cells(state, item)),
  };
}

function named([first, ...others]: readonly VariableEntry[]): string {
  return others.length > 0 || !first ? `${countText(others.length + 1)} variables` : visibleText(first.variable.name);
}

function cells(state: State, { format, isAll }: CopyItem): Line {
  const help = isAll
    ? `all ${countText(state.loaded.entries.length)} of ${placeName(state, state.place)}`
    : HELP[format];
  return [{ text: fitText(format, FORMAT_WIDTH) }, { text: `${GAP}${help ?? ""}`, role: "muted" }];
}
