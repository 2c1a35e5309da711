import { actsIn, type Command, whereOf } from "../state/command.js";
import type { State, Step } from "../state/state.js";
import { step } from "../state/work.js";
import { hints, type KeyHint, pop, runCommand, top, whyNot } from "../view/screen.js";
import { GLOBAL_KEYS } from "../widgets/key.js";
import { byGroup, commandItem } from "./command-line.js";
import { isMenu, type Menu, type MenuItem, openMenu } from "./menu.js";

/** Shows the keys that work where the cursor is. From the help, it goes back. */
export function openHelp(state: State): Step {
  return isMenu(state, HELP) ? step(pop(state)) : openMenu(state, HELP);
}

const HELP: Menu = {
  verb: "run",
  content: (state, _text, commands) => ({
    title: "Help",
    items: [...commandItems(state, commands), ...keyItems(state, commands)],
  }),
};

/** The commands that work where the cursor is. */
function commandItems(state: State, commands: readonly Command[]): readonly MenuItem[] {
  const where = whereOf(state);
  return byGroup(commands.filter((each) => actsIn(each, where))).map((command) => ({
    ...commandItem(command),
    argument: undefined,
    whyNot: whyNot(state, command),
    run: (now) => runCommand(now, command),
  }));
}

const TEXT_KEYS = hints(
  "←→ move, Home start of the line, Ctrl-A the same, End end of the line, Ctrl-E the same, Ctrl-← word to the left, Ctrl-→ word to the right, " +
    "Ctrl-W delete the word to the left, Ctrl-U delete all to the left, Ctrl-K delete all to the right",
);

/** The keys of a screen over the list besides commands. */
function keyItems(state: State, commands: readonly Command[]): readonly MenuItem[] {
  const { screen, data } = top(state) ?? {};
  if (!screen) return [];
  const isTyping = screen.types?.(state, data) ?? false;
  const itemsOf = (group: string, keys: readonly KeyHint[]) =>
    keys.map(({ key, label, name }): MenuItem => {
      const run = (now: State) =>
        name === undefined ? step(now) : screen.key(now, data, { name, text: "" }, commands);
      return { label, keys: key, group, run };
    });
  const shown = screen.hints?.(state, data) ?? [];
  const more = (screen.more ?? []).filter(({ key }) => !shown.some((hint) => hint.key === key));
  return [
    ...itemsOf("Here", [...shown, ...more]),
    ...itemsOf("Text", isTyping ? TEXT_KEYS : []),
    ...globalItems(commands),
  ];
}

function globalItems(commands: readonly Command[]): readonly MenuItem[] {
  return commands.flatMap((command) => {
    const keys = command.keys.filter((key) => GLOBAL_KEYS.includes(key));
    const item = { ...commandItem({ ...command, keys }), group: "Everywhere" };
    return keys.length === 0 ? [] : { ...item, run: (now) => runCommand(now, command) };
  });
}
