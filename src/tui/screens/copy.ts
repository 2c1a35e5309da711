import type { VariableEntry } from "../../domain/source.js";
import { targetEntries } from "../reading/selection.js";
import { COPY_ITEMS, type CopyFormat, type CopyItem } from "../state/copy-formats.js";
import { bodyPage, type Size } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import type { CopyMode } from "../state/modes.js";
import { placeName } from "../state/places.js";
import type { State } from "../state/state.js";
import { fitText, type Line } from "../text/line.js";
import { GAP, type PanelContent, rowLines, selectRow, variablesText } from "../view/panel.js";
import { commandKeyName, type Key } from "../widgets/key.js";
import { moveCursor } from "../widgets/list.js";

export function copySelected(state: State, format: CopyFormat): Step {
  return copyEntries(state, targetEntries(state), format);
}

export function copyAll(state: State, format: CopyFormat): Step {
  return copyEntries(state, state.loaded.entries, format);
}

/** Opens the menu of formats. */
export function openCopy(state: State, entries = targetEntries(state)): Step {
  return step({ ...state, mode: { kind: "copy", entries, cursor: 0, back: state.mode } });
}

export function copyKey(state: State, mode: CopyMode, key: Key): Step {
  const name = commandKeyName(key);
  const { entries, cursor, back } = mode;
  const returned: State = { ...state, mode: back };
  if (name === "escape" || name === "q") return step(returned);
  const item = COPY_ITEMS[cursor];
  if (name === "enter" && item) return copyItem(returned, entries, item);
  const moved = moveCursor({ cursor, top: 0 }, COPY_ITEMS.length, bodyPage(state), name);
  return step(moved ? { ...state, mode: { ...mode, cursor: moved.cursor } } : state);
}

function copyItem(state: State, entries: readonly VariableEntry[], { format, isAll }: CopyItem): Step {
  return isAll ? copyAll(state, format) : copyEntries(state, entries, format);
}

function copyEntries(state: State, entries: readonly VariableEntry[], format: CopyFormat): Step {
  return step(state, { type: "copy", place: state.place, entries, format });
}

const HELP: Partial<Record<CopyFormat, { readonly one: string; readonly many: string }>> = {
  value: { one: "the plain value, even if masked", many: "the plain values, even if masked" },
  "name=value": { one: "a line of a .env file", many: "lines of a .env file" },
  json: { one: 'an object: {"PORT": …}', many: 'an object: {"HOST": …, "PORT": …}' },
  name: { one: "the name alone", many: "the names alone, one in a line" },
  command: { one: "prints the value in a shell", many: "print the values in a shell, one in a line" },
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
    title: `Copy ${variablesText(entries.map(({ variable }) => variable))}`,
    footnote: COPY_ITEMS.length > page ? `${cursor + 1}/${COPY_ITEMS.length}` : undefined,
    isFocused: true,
    select: selectRow(position, COPY_ITEMS.length, 0, (now, index) =>
      now.mode.kind === "copy" ? { ...now, mode: { ...now.mode, cursor: index } } : now,
    ),
    lines: rowLines(COPY_ITEMS, position, page, true, (item) => cells(state, entries, item)),
  };
}

function cells(state: State, entries: CopyMode["entries"], { format, isAll }: CopyItem): Line {
  const help = isAll
    ? `all variables of ${placeName(state, state.place)}`
    : HELP[format]?.[entries.length === 1 ? "one" : "many"];
  return [{ text: ` ${fitText(format, FORMAT_WIDTH)}` }, { text: `${GAP}${help ?? ""}`, role: "muted" }];
}
