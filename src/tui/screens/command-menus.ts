import { suggestion } from "../../kit/text/nearest.js";
import { hints, type KeyHint, pop, runCommand, topScreen, whyNot } from "../stack/screen.js";
import { actsIn, areaOf, isListCommand } from "../state/command.js";
import { COMMAND_GROUPS, type Command, type Next, notify, type State } from "../state/state.js";
import { GLOBAL_KEYS, keyLabel, keyNamed } from "../widgets/key.js";
import { isMenu, type Menu, type MenuContent, openMenu } from "./menu.js";
import type { MenuItem } from "./menu-items.js";

/** @param text the text typed so far */
export function openCommandLine(state: State, text = ""): State {
  return openMenu(state, COMMAND_LINE, text);
}

/** Lists the commands, or the choices for the argument of one. */
const COMMAND_LINE: Menu = {
  isCommandLine: true,
  verb: "run",
  isFuzzy: true,
  content,
  otherwise: runTyped,
};

function content(state: State, text: string): MenuContent {
  const { commands, command, argument } = parseLine(state, text);
  if (!command)
    return { title: "Commands", query: text, items: commands.map((each) => itemOf(state, each)) };
  const { name, argument: expected = "", choices, help } = command;
  const title = `${name} ${expected}`.trimEnd();
  if (!choices) {
    const run = (now: State) => runTyped(now, text);
    return { title, query: "", items: [{ label: `${name} ${argument}`, help, run }] };
  }
  const items = choices(state, argument).map((choice) => ({
    ...choice,
    text: `${name} ${choice.label}`,
    whyNot: whyNotHome(state, command, choice.label),
    run: (now: State) => choice.run(homeOf(now, command, choice.label)),
  }));
  return { title, query: argument, items };
}

function byGroup(commands: readonly Command[]): readonly Command[] {
  return COMMAND_GROUPS.flatMap((group) => commands.filter((each) => each.group === group));
}

function commandItem({ name, keys, help }: Command) {
  return { label: name, keys: keys.map(keyLabel).join(" "), help };
}

function itemOf(state: State, command: Command): MenuItem {
  const { name, argument, choices } = command;
  return {
    ...commandItem(command),
    argument,
    text: argument === undefined ? name : `${name} `,
    whyNot: whyNotHome(state, command),
    run: (now) =>
      choices ? openCommandLine(now, `${name} `) : runCommand(homeOf(now, command), command),
  };
}

/**
 * Finds the command at the start of the text, and its argument. A name can have
 * several words, such as `env add`.
 */
function parseLine(state: State, text: string) {
  const where = areaOf(state);
  // Commands of the list and of the current screen.
  const commands = byGroup(
    state.commands.filter((each) => isListCommand(each) || actsIn(each, where)),
  );
  const line = text.trimStart();
  const named = commands.filter(({ name }) => line.startsWith(`${name} `));
  const command = named.toSorted((a, b) => b.name.length - a.name.length)[0];
  return { commands, command, argument: command ? line.slice(command.name.length).trim() : "" };
}

/** Commands that, with an argument, replace the current screen. */
const LEAVING = ["open", "diff"];

/** The current screen if the command works there, otherwise the list. */
function homeOf(state: State, command: Command, argument = ""): State {
  const where = areaOf(state);
  const isLeaving = argument !== "" && LEAVING.includes(command.name);
  return actsIn(command, where) && !isLeaving ? state : { ...state, stack: [] };
}

function whyNotHome(state: State, command: Command, argument = ""): string | undefined {
  return whyNot(homeOf(state, command, argument), command);
}

/** Runs a string that is none of the choices, or shows what is wrong. */
function runTyped(state: State, text: string): State {
  const { commands, command, argument } = parseLine(state, text);
  const names = commands.map(({ name }) => name);
  const problem = command
    ? refusal(state, command, argument)
    : unknown("command", text.trim(), names);
  if (!command || problem !== undefined)
    return openCommandLine(notify(state, problem ?? "", "error"), text);
  return runCommand(homeOf(state, command, argument), command, argument);
}

function refusal(state: State, command: Command, argument: string): string | undefined {
  const { name, argument: expected, choices } = command;
  // Otherwise `:delete NAME` would delete the variable under the cursor, which
  // may be a different one.
  if (expected === undefined && argument !== "") return `"${name}" takes no argument`;
  if (!choices || argument === "") return whyNotHome(state, command, argument);
  const labels = choices(state, argument).map(({ label }) => label);
  return unknown(expected?.replace(/[<>]/g, "") ?? "", argument, labels);
}

function unknown(what: string, text: string, names: readonly string[]): string {
  return `there is no ${what} "${text}"${suggestion(text, names)}`;
}

/** Shows the keys that work here, or closes the help. */
export function openHelp(state: State): State {
  return isMenu(state, HELP) ? pop(state) : openMenu(state, HELP);
}

const HELP: Menu = {
  verb: "run",
  content: (state) => ({
    title: "Help",
    items: [...commandItems(state), ...keyItems(state)],
  }),
};

function commandItems(state: State): readonly MenuItem[] {
  const where = areaOf(state);
  return byGroup(state.commands.filter((each) => actsIn(each, where))).map((command) => ({
    ...commandItem(command),
    help: topScreen(state)?.screen.handlers?.[command.name]?.help ?? command.help,
    group: command.group,
    whyNot: whyNot(state, command),
    run: (now) => runCommand(now, command),
  }));
}

const TEXT_KEYS = hints(
  "←→ move, Home start of the line, Ctrl-A start of the line, End end of the line, Ctrl-E end of the line, " +
    "Ctrl-Home start of the text, Ctrl-End end of the text, Ctrl-Left word to the left, Ctrl-Right word to the right, " +
    "Ctrl-W delete the word to the left, Ctrl-U delete to the start of the line, Ctrl-K delete to the end of the line",
);

function keyItems(state: State): readonly MenuItem[] {
  const { screen, data } = topScreen(state) ?? {};
  if (!screen) return [];
  const isTyping = screen.types?.(state, data) ?? false;
  const itemsOf = (group: string, keys: readonly KeyHint[]) =>
    keys.map(({ key, label, name }): MenuItem => {
      const press: Next = (now) => screen.key?.(now, data, keyNamed(name ?? "")) ?? now;
      return { label, keys: key, group, run: name === undefined ? (now) => now : press };
    });
  const shown = screen.hints?.(state, data) ?? [];
  const more = (screen.more?.(state, data) ?? []).filter(
    ({ key }) => !shown.some((hint) => hint.key === key),
  );
  return [
    ...itemsOf("Here", [...shown, ...more]),
    ...itemsOf("Text", isTyping ? TEXT_KEYS : []),
    ...globalItems(state),
  ];
}

function globalItems({ commands }: State): readonly MenuItem[] {
  return commands.flatMap((command) => {
    const keys = command.keys.filter((key) => GLOBAL_KEYS.includes(key));
    const item = { ...commandItem({ ...command, keys }), group: "Everywhere" };
    return keys.length === 0 ? [] : { ...item, run: (now) => runCommand(now, command) };
  });
}
