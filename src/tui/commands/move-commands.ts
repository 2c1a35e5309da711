import { type Command, command } from "../state/command.js";
import { MOVES } from "../state/cursor.js";
import type { State } from "../state/state.js";
import { openNamed, placeChoices } from "./choose.js";
import { clearable } from "./mark.js";
import { focusPanel, goBack, moveInPanel, openSelected } from "./panels.js";

const CLEAR_LABELS = { range: "drop range", filter: "clear filter", marks: "unmark", none: undefined } as const;

function clearLabel(state: State): string | undefined {
  return state.focus === "variables" ? CLEAR_LABELS[clearable(state) ?? "none"] : undefined;
}

/** Moving in the panel with the focus. */
export const CURSOR_COMMANDS: readonly Command[] = [
  ...MOVES.map(({ name, keys, help }) => {
    const [key = ""] = keys.split(" ");
    return command("Move", name, keys, help, { label: undefined, run: (state) => moveInPanel(state, key) });
  }),
];

/** Moving in a panel and between panels. */
export const PANEL_COMMANDS: readonly Command[] = [
  command("Move", "next-panel", "tab l right", "go to the next panel", {
    label: "panel",
    run: (state) => focusPanel(state, 1),
  }),
  command("Move", "previous-panel", "shift-tab h left", "go to the previous panel", {
    label: undefined,
    run: (state) => focusPanel(state, -1),
  }),
  command("Move", "open", "enter", "open the place under the cursor, or go to the record", {
    label: ({ focus }) => (focus === "places" ? "open" : undefined),
    argument: "<place>",
    choices: placeChoices,
    run: (state, name) => (name === "" ? openSelected(state) : openNamed(state, name)),
  }),
  command("Move", "back", "escape", "go back to the list, end the range, clear the filter or remove the marks", {
    label: clearLabel,
    run: goBack,
  }),
];
