import { actsIn, COMMAND_GROUPS, type Command, isOfList, type Where, whereOf } from "../state/command.js";
import { bodyPage, layoutOf, type Size, textColumns } from "../state/layout.js";
import type { State, Step } from "../state/state.js";
import { step } from "../state/work.js";
import { fitLine, fitText, type Line, spaced, wrapWords } from "../text/line.js";
import { type PanelContent, scrolledContent } from "../view/panel.js";
import { hints, pop, push, type Screen, withData } from "../view/screen.js";
import { commandKeyName, type Key, keyLabel } from "../widgets/key.js";
import { scroll } from "../widgets/list.js";

interface Help {
  readonly top: number;
  /** The screen whose keys are shown; the list shows all commands. */
  readonly of: Where | undefined;
}

export function openHelp(state: State): Step {
  return step(push(state, HELP, { top: 0, of: state.stack.length > 0 ? whereOf(state) : undefined }));
}

const HELP_KEYS = hints("↑↓ scroll, Esc back");

const HELP: Screen<Help> = {
  name: "help",
  key: helpKey,
  body: (_state, help, { body }, commands) => [[{ size: body, content: helpPanel(commands, help, body) }]],
  hints: () => HELP_KEYS,
};

function helpKey(state: State, help: Help, key: Key, commands: readonly Command[]): Step {
  const name = commandKeyName(key);
  if (name === "escape" || name === "q" || name === "?") return step(pop(state));
  const count = helpLines(commands, textColumns(layoutOf(state).body), help.of).length;
  const moved = scroll(help.top, count, bodyPage(state), name);
  return step(moved === undefined ? state : withData(state, HELP, { ...help, top: moved }));
}

const GAP = 4;
const TWO_COLUMNS = 120;
const NARROW = 80;
const MAX_KEYS = 24;
const MAX_WORD = 24;

function helpPanel(commands: readonly Command[], { top, of }: Help, size: Size): PanelContent {
  const lines = helpLines(commands, textColumns(size), of);
  return scrolledContent({ title: "Help", isFocused: true, lines }, top, size.height - 2);
}

/** The commands of the list by group, or else those of a screen, in lines of at most `width` columns. */
function helpLines(all: readonly Command[], width: number, of?: Where): readonly Line[] {
  if (of) return all.filter((each) => actsIn(each, of)).flatMap((each) => keyLines(each, width));
  const commands = all.filter(isOfList);
  const columns = width >= TWO_COLUMNS ? 2 : 1;
  const columnWidth = Math.floor((width - GAP * (columns - 1)) / columns);
  const blocks = COMMAND_GROUPS.map((group) => groupLines(group, commands, columnWidth));
  if (columns === 1) return spaced(blocks);
  const [left, right] = balanced(blocks);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const head = left[index] ?? [];
    const tail = right[index];
    return tail ? [...fitLine(head, columnWidth + GAP), ...tail] : head;
  });
}

function keyLines({ keys, help }: Command, width: number): Line[] {
  return wrapWords(help, width - MAX_KEYS).map((each, index): Line => {
    const names = index === 0 ? keys.map(keyLabel).join(" ") : "";
    return [{ text: `  ${fitText(names, MAX_KEYS - 4)}  `, isBold: true }, { text: each }];
  });
}

/** As wide as the widest key and word, but leaves about half of the column to the help. */
function columnSizes(commands: readonly Command[], width: number) {
  const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, text.length), 0);
  const keys = Math.min(widest(commands.map(keysText)), MAX_KEYS, Math.floor(width * 0.25));
  const word = Math.min(widest(commands.map(wordText)), MAX_WORD, Math.floor(width * 0.27));
  return { keys, word };
}

function groupLines(group: string, commands: readonly Command[], width: number): Line[] {
  const own = commands.filter((command) => command.group === group);
  if (own.length === 0) return [];
  // In a narrow column each group has its own widths.
  const sizes = columnSizes(width < NARROW ? own : commands, width);
  return [[{ text: group, role: "accent" }], ...own.flatMap((command) => commandLines(command, sizes, width))];
}

function commandLines(command: Command, { keys, word }: ReturnType<typeof columnSizes>, width: number): Line[] {
  const indent = keys + word + 6;
  const [first = "", ...others] = wrapWords(command.help, Math.max(10, width - indent));
  const head: Line = [
    { text: `  ${fitText(keysText(command), keys)}`, isBold: true },
    { text: `  ${fitText(wordText(command), word)}  `, role: "json" },
    { text: first },
  ];
  return [head, ...others.map((text): Line => [{ text: " ".repeat(indent) }, { text }])];
}

function keysText({ keys }: Command): string {
  return keys.map(keyLabel).join(" ");
}

function wordText({ name, argument = "" }: Command): string {
  return `:${name} ${argument}`.trimEnd();
}

/** The blocks in their order, in two columns of about the same height. */
function balanced(blocks: readonly (readonly Line[])[]): [Line[], Line[]] {
  const splits = blocks.map((_, index): [Line[], Line[]] => {
    return [spaced(blocks.slice(0, index + 1)), spaced(blocks.slice(index + 1))];
  });
  const height = ([left, right]: [Line[], Line[]]) => Math.max(left.length, right.length);
  return splits.reduce((best, each) => (height(each) < height(best) ? each : best), splits[0] ?? [[], []]);
}
