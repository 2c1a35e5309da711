import type { VariableEntry } from "../../domain/source.js";
import { COPY_ITEMS, type CopyFormat, type CopyItem, copyEntries } from "../reading/copying.js";
import { targetEntries } from "../reading/selection.js";
import { bodyPage, type Size } from "../state/layout.js";
import { placeName } from "../state/places.js";
import { readingOf } from "../state/reading.js";
import type { State, Step } from "../state/state.js";
import { step } from "../state/work.js";
import { fitText, type Line } from "../text/line.js";
import { GAP, type PanelContent, rowLines, selectRow, variablesText } from "../view/panel.js";
import { hints, pop, push, type Screen, selectionOf, targetsOf, withData } from "../view/screen.js";
import { commandKeyName, type Key } from "../widgets/key.js";
import { moveCursor } from "../widgets/list.js";

export function copySelected(state: State, format: CopyFormat): Step {
  return copyEntries(state, selectionOf(state).place, targetsOf(state), format);
}

export function copyAll(state: State, format: CopyFormat): Step {
  return copyEntries(state, state.place, readingOf(state).entries, format);
}

/** Choosing how to copy variables. */
interface CopyMenu {
  readonly entries: readonly VariableEntry[];
  /** Index in `COPY_ITEMS`. */
  readonly cursor: number;
}

/** Opens the menu of formats. */
export function openCopy(state: State, entries = targetEntries(state)): Step {
  return step(push(state, COPY, { entries, cursor: 0 }));
}

const COPY_KEYS = hints("↑↓ move, Enter copy, Esc back");

const COPY: Screen<CopyMenu> = { name: "copy", key: copyKey, panel: copyPanel, hints: () => COPY_KEYS };

function copyKey(state: State, menu: CopyMenu, key: Key): Step {
  const name = commandKeyName(key);
  const { entries, cursor } = menu;
  if (name === "escape" || name === "q") return step(pop(state));
  const item = COPY_ITEMS[cursor];
  if (name === "enter" && item) return copyItem(pop(state), entries, item);
  const moved = moveCursor({ cursor, top: 0 }, COPY_ITEMS.length, bodyPage(state), name);
  return step(moved ? withData(state, COPY, { ...menu, cursor: moved.cursor }) : state);
}

function copyItem(state: State, entries: readonly VariableEntry[], { format, isAll }: CopyItem): Step {
  return isAll ? copyAll(state, format) : copyEntries(state, state.place, entries, format);
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
function copyPanel(state: State, { entries, cursor }: CopyMenu, { height }: Size): PanelContent {
  const page = height - 2;
  const position = { cursor, top: Math.max(0, cursor - page + 1) };
  return {
    title: `Copy ${variablesText(entries.map(({ variable }) => variable))}`,
    footnote: COPY_ITEMS.length > page ? `${cursor + 1}/${COPY_ITEMS.length}` : undefined,
    isFocused: true,
    select: selectRow(position, COPY_ITEMS.length, 0, (now, index) => withData(now, COPY, { entries, cursor: index })),
    lines: rowLines(COPY_ITEMS, position, page, true, (item) => cells(state, entries, item)),
  };
}

function cells(state: State, entries: CopyMenu["entries"], { format, isAll }: CopyItem): Line {
  const help = isAll
    ? `all variables of ${placeName(state, state.place)}`
    : HELP[format]?.[entries.length === 1 ? "one" : "many"];
  return [{ text: ` ${fitText(format, FORMAT_WIDTH)}` }, { text: `${GAP}${help ?? ""}`, role: "muted" }];
}
