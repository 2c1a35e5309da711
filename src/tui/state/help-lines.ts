import { fitLine, fitText } from "../text/fit-line.js";
import type { Line } from "../text/line.js";
import { wrapWords } from "../text/wrap-line.js";
import type { Command } from "./command.js";
import { keyName } from "./key-name.js";

const GROUPS: readonly Command["group"][] = ["Find", "Values", "Edit", "Move", "Other"];
const GAP = 4;
/** The least that two columns are readable at. */
const TWO_COLUMNS = 120;
const NARROW = 80;
const MOST_KEYS = 24;
const MOST_WORD = 20;

/**
 * What each command does, by group, in lines of at most `width` columns.
 *
 * @param width as `textColumns` has it of the layout's body
 */
export function helpLines(commands: readonly Command[], width: number): readonly Line[] {
  const columns = width >= TWO_COLUMNS ? 2 : 1;
  const columnWidth = Math.floor((width - GAP * (columns - 1)) / columns);
  const blocks = GROUPS.map((group) => groupLines(group, commands, columnWidth)).filter((lines) => lines.length);
  if (columns === 1) return joined(blocks);
  const [left, right] = balanced(blocks);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const head = left[index] ?? [];
    const tail = right[index];
    return tail ? [...fitLine(head, columnWidth + GAP), ...tail] : head;
  });
}

interface Sizes {
  readonly keys: number;
  readonly word: number;
}

/** As wide as the widest, but never more than leaves about half of the column to the help. */
function columnSizes(commands: readonly Command[], width: number): Sizes {
  const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, text.length), 0);
  const keys = Math.min(widest(commands.map(keysText)), MOST_KEYS, Math.floor(width * 0.25));
  const word = Math.min(widest(commands.map(wordText)), MOST_WORD, Math.floor(width * 0.27));
  return { keys, word };
}

function groupLines(group: string, commands: readonly Command[], width: number): Line[] {
  const own = commands.filter((command) => command.group === group);
  if (own.length === 0) return [];
  // Where there is little room, no group leaves any to the long keys of another.
  const sizes = columnSizes(width < NARROW ? own : commands, width);
  return [[{ text: group, role: "accent" }], ...own.flatMap((command) => commandLines(command, sizes, width))];
}

function commandLines(command: Command, { keys, word }: Sizes, width: number): Line[] {
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
  return keys.map(keyName).join(" ");
}

function wordText({ name, argument = "" }: Command): string {
  return `:${name} ${argument}`.trimEnd();
}

function joined(blocks: readonly (readonly Line[])[]): Line[] {
  return blocks.flatMap((block, index) => (index === 0 ? block : [[], ...block]));
}

/** The blocks in their order, in two columns that are as even as can be. */
function balanced(blocks: readonly (readonly Line[])[]): [Line[], Line[]] {
  const splits = blocks.map((_, index): [Line[], Line[]] => {
    return [joined(blocks.slice(0, index + 1)), joined(blocks.slice(index + 1))];
  });
  const height = ([left, right]: [Line[], Line[]]) => Math.max(left.length, right.length);
  return splits.reduce((best, each) => (height(each) < height(best) ? each : best), splits[0] ?? [[], []]);
}
