import type { VariableEntry } from "../../domain/source.js";
import { COPY_ITEMS, type CopyFormat, copyEntries } from "../reading/copying.js";
import { placeName } from "../state/places.js";
import { readingOf } from "../state/reading.js";
import type { State, Step } from "../state/state.js";
import { variablesText } from "../view/panel.js";
import { selectionOf, targetsOf } from "../view/screen.js";
import { type Menu, openMenu } from "./menu.js";

export function copySelected(state: State, format: CopyFormat): Step {
  return copyEntries(state, selectionOf(state).place, targetsOf(state), format);
}

export function copyAll(state: State, format: CopyFormat): Step {
  return copyEntries(state, state.place, readingOf(state).entries, format);
}

/** Opens the menu of formats. */
export function openCopy(state: State): Step {
  return openMenu(state, COPY);
}

const HELP: Partial<Record<CopyFormat, string>> = {
  value: "the plain value, even if masked",
  "name=value": "a line of a .env file",
  json: 'an object: {"PORT": …}',
  name: "the name alone",
  command: "prints the value in a shell",
};

const COPY: Menu = {
  verb: "copy",
  content: (state) => {
    const entries: readonly VariableEntry[] = targetsOf(state);
    const items = COPY_ITEMS.map(({ format, isAll }) => ({
      label: format,
      ...(isAll
        ? { group: `all variables of ${placeName(state, state.place)}`, run: (now: State) => copyAll(now, format) }
        : { help: HELP[format], run: (now: State) => copySelected(now, format) }),
    }));
    return { title: `Copy ${variablesText(entries.map(({ variable }) => variable))}`, items };
  },
};
