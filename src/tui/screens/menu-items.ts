import { GAP } from "../stack/panel.js";
import type { Choice, State } from "../state/state.js";
import { highlight, LETTERS, letterSpan, NO_MATCH, nameRank } from "../text/fuzzy.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, fitText, type Line } from "../text/line.js";

/** `run` gets the state without the menu. */
export interface MenuItem extends Choice {
  /** The argument shown after the label, such as `<place>`. */
  readonly argument?: string | undefined;
  /** Labels of keys, separated by spaces. */
  readonly keys?: string;
  readonly whyNot?: string | undefined;
  /** Whether the menu stays open below what the item opens. */
  readonly isKept?: true;
  /** The text that Tab completes to. */
  readonly text?: string;
  /**
   * Replaces the help below the list while the item is under the cursor. `J`
   * and `K` scroll it.
   */
  readonly detail?: (state: State, width: number) => readonly Line[];
}

/** The rank of an exact label or key, better than any match. */
const EXACT = -1;

export function ranked(
  items: readonly MenuItem[],
  query: string,
  words: readonly string[],
  searchesHelp: boolean,
): readonly MenuItem[] {
  const rankOf = (item: MenuItem) => {
    if (item.label === query || item.keys?.split(" ").includes(query)) return EXACT;
    return Math.max(...words.map((word) => wordRank(item, word, searchesHelp)));
  };
  return items
    .map((item) => ({ item, rank: rankOf(item) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Ranks matches in labels before those in help texts. */
function wordRank(
  { label, keys = "", help = "" }: MenuItem,
  word: string,
  searchesHelp: boolean,
): number {
  const rank = nameRank(word, label.toLowerCase());
  const isInHelp = searchesHelp && `${keys} ${help}`.toLowerCase().includes(word.replace("~", ""));
  if (rank === LETTERS)
    return rank + Math.min(0.8, letterSpan(word.slice(1), label.toLowerCase()) / 1_000);
  return rank === NO_MATCH && isInHelp ? LETTERS + 0.9 : rank;
}

const MAX_KEYS = 18;
/** The most lines of a help text that does not fit beside its item. */
export const MAX_HELP = 3;
/** Columns for the cursor, the mark of the item, and spaces. */
const AROUND = 3;

export function itemWidths(items: readonly MenuItem[], width: number) {
  const widest = (texts: readonly string[]) =>
    texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
  const keys = Math.min(
    MAX_KEYS,
    Math.floor(width / 3),
    widest(items.map((item) => item.keys ?? "")),
  );
  const before = AROUND + (keys > 0 ? keys + GAP.length : 0) + GAP.length;
  // If items have details, their help is shown above the detail.
  const hasHelp = items.some(({ detail }) => !detail);
  const most = hasHelp ? Math.min(Math.floor(width / 2), width - before) : width - AROUND;
  const label = Math.min(widest(items.map(labelText)), most);
  return { keys, label, help: Math.max(0, width - before - label) };
}

function labelText({ label, argument = "" }: MenuItem): string {
  return visibleText(`${label} ${argument}`).trimEnd();
}

/**
 * The help, or why the item can't be chosen.
 *
 * @param isFound whether a search hides the headings
 */
export function helpText(
  { help = "", whyNot, group = "" }: Partial<MenuItem> = {},
  isFound = false,
): string {
  const text = whyNot === undefined ? help : `✗ ${whyNot}`;
  return isFound ? `${text}${GAP}${group}`.trim() : text;
}

interface ShownItems {
  readonly words: readonly string[];
  readonly widths: ReturnType<typeof itemWidths>;
}

export function itemCells(item: MenuItem, { words, widths }: ShownItems, isMarked: boolean): Line {
  const role = item.whyNot === undefined ? (item.role ?? "text") : "muted";
  const keys: Line = [
    { text: fitText(item.keys ?? "", widths.keys), role: "accent" },
    { text: GAP },
  ];
  return [
    { text: isMarked ? "✓" : " ", role: "accent" },
    ...(widths.keys > 0 ? keys : []),
    ...highlight(words, labelText(item), widths.label, { role }),
    { text: GAP },
    { text: cellText(helpText(item, words.length > 0), widths.help), role: "muted" },
  ];
}
