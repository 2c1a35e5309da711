import { EXPORT_FORMATS } from "../../formats/formats.js";
import { copyEntries, SELECTED_FORMATS } from "../reading/copying.js";
import { choiceMenu, openMenu } from "../screens/menu.js";
import type { Choice } from "../state/command.js";
import { placeName } from "../state/places.js";
import { readingOf } from "../state/reading.js";
import type { State, Step } from "../state/state.js";
import { variablesText } from "../view/panel.js";
import { selectionOf, targetsOf } from "../view/screen.js";

const HELP = {
  value: "the plain value, even if masked",
  "name=value": "a line of a .env file",
  json: 'an object: {"PORT": …}',
  name: "the name alone",
  command: "prints the value in a shell",
} as const;

/** Copies the marked variables, or else the one under the cursor. */
export function copySelected(state: State, format: keyof typeof HELP = "value"): Step {
  return copyEntries(state, selectionOf(state).place, targetsOf(state), format);
}

export const COPY_CHOICES: readonly Choice[] = SELECTED_FORMATS.map((label) => {
  return { label, help: HELP[label], run: (state) => copySelected(state, label) };
});

/** Copies the whole environment. */
export const COPY_ALL_CHOICES: readonly Choice[] = EXPORT_FORMATS.map((label) => {
  return { label, run: (state) => copyEntries(state, state.place, readingOf(state).entries, label) };
});

/** Opens the menu of formats. */
export function openCopy(state: State): Step {
  const group = `all variables of ${placeName(state, state.place)}`;
  const all = COPY_ALL_CHOICES.map((choice) => ({ ...choice, group }));
  const title = `Copy ${variablesText(targetsOf(state).map(({ variable }) => variable))}`;
  return openMenu(state, choiceMenu(title, [...COPY_CHOICES, ...all], "copy"));
}
