import type { Choice, Command } from "../state/command.js";
import { layoutOf, questionSize, type Size, textColumns } from "../state/layout.js";
import { notify, type State, type Step } from "../state/state.js";
import { step } from "../state/work.js";
import {
  filterWords,
  highlight,
  LETTERS,
  letterDistance,
  matchRank,
  NO_MATCH,
  nameRank,
  searchWords,
} from "../text/fuzzy.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, countText, fitText, indented, type Line, lineWidth, wrapLines } from "../text/line.js";
import { GAP, type PanelContent, rowLine } from "../view/panel.js";
import { dataOf, hints, keyLine, noticeLines, pop, push, type Screen, withData } from "../view/screen.js";
import { commandKeyName, editKeyName, type Key } from "../widgets/key.js";
import { keepVisible, moveCursor, type Position } from "../widgets/list.js";
import { editLine, type TextField, textField, textInput } from "../widgets/text-field.js";

/** A choice, of which typed text finds the label. Its function gets the state without the menu. */
export interface MenuItem extends Choice {
  /** After the label: `<place>`. */
  readonly argument?: string | undefined;
  /** The labels of its keys, separated by spaces. */
  readonly keys?: string;
  /** Why it can't be chosen now. */
  readonly whyNot?: string | undefined;
  /** The text that Tab completes to. */
  readonly text?: string;
}

export interface MenuContent {
  readonly title: string;
  /** Above the items. */
  readonly intro?: string;
  readonly items: readonly MenuItem[];
  /** The part of the typed text that items must match, by default all. */
  readonly query?: string;
}

export interface Menu {
  /** @param state without the menu */
  content(state: State, text: string, commands: readonly Command[]): MenuContent;
  /** A word for Enter: `copy`. */
  readonly verb: string;
  /** The sign before the text of a menu that is typed into from the start; after `:` letters can be left out. */
  readonly prompt?: ":" | "/";
  /** Runs the text where no item fits. @param state without the menu */
  otherwise?(state: State, text: string, commands: readonly Command[]): Step;
  /** Runs the items with these labels: several can be marked. @param state without the menu */
  onMarked?(state: State, labels: readonly string[]): Step;
}

/** A menu of these choices. */
export function choiceMenu(title: string, items: readonly Choice[], verb = "choose"): Menu {
  return { verb, content: () => ({ title, items }) };
}

interface OpenMenu extends Position {
  readonly menu: Menu;
  readonly field: TextField;
  readonly isTyping: boolean;
  /** Labels of items. */
  readonly marks: ReadonlySet<string>;
}

/** @param text what has been typed so far @param marked labels of items */
export function openMenu(state: State, menu: Menu, text = "", marked: Iterable<string> = []): Step {
  const position = { cursor: 0, top: 0, isTyping: menu.prompt !== undefined };
  return step(push(state, MENU, { menu, field: textField(text), ...position, marks: new Set(marked) }));
}

const MENU: Screen<OpenMenu> = {
  name: "menu",
  key: menuKey,
  panel: menuPanel,
  input: inputLines,
  types: (_state, { isTyping }) => isTyping,
  hints: (_state, { menu: { verb, onMarked, prompt }, isTyping }) => {
    const keys = isTyping
      ? prompt === ":"
        ? "Tab complete, "
        : ""
      : `${onMarked ? "Space mark, * mark all, " : ""}/ find, `;
    return hints(`↑↓ move, Enter ${verb}, ${keys}Esc back`);
  },
  more: hints("PgUp a page up, PgDn a page down"),
};

/** Whether this menu has the keys. */
export function isMenu(state: State, menu: Menu): boolean {
  return dataOf(state, MENU)?.menu === menu;
}

/** The items that match, the lines of the list by their indexes or headings, and how many of these are visible. */
function shownMenu(state: State, { menu, field }: OpenMenu, commands: readonly Command[], size: Size) {
  const { title, intro, items: all, query = field.text } = menu.content(pop(state), field.text, commands);
  const words = menu.prompt === ":" ? searchWords(query).map((word) => `~${word}`) : filterWords(query);
  const items = words.length === 0 ? all : ranked(all, query.trim(), words);
  const rows = items.flatMap(({ group }, index) => {
    const isFirst = words.length === 0 && group !== undefined && group !== items[index - 1]?.group;
    return isFirst ? [group, index] : [index];
  });
  const above = intro === undefined ? [] : [...wrapLines(intro, textColumns(size), "text"), []].map(indented);
  const sizes = columnsOf(all, textColumns(size));
  const isCut = all.some(({ help = "" }) => textWidth(help) > sizes.help);
  const below = isCut ? 1 + Math.min(MAX_HELP, Math.floor(size.height / 6)) : 0;
  return { title, items, words, rows, above, sizes, below, page: Math.max(1, size.height - 2 - above.length - below) };
}

/** Better than any rank of a match: the text itself, or a key. */
const EXACT = -1;

/** The best first. */
function ranked(items: readonly MenuItem[], query: string, words: readonly string[]): readonly MenuItem[] {
  const rankOf = (item: MenuItem) => {
    if (item.label === query || item.keys?.split(" ").includes(query)) return EXACT;
    return Math.max(...words.map((word) => wordRank(item, word)));
  };
  return items
    .map((item) => ({ item, rank: rankOf(item) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** More than the letters of a label are apart. */
const FAR = 10_000;

/** Labels come before help; of labels with letters in between, those whose letters are closest. */
function wordRank({ label, help = "" }: MenuItem, word: string): number {
  const [name, rest] = [label.toLowerCase(), word.slice(1)];
  const rank = nameRank(word, name);
  if (rank === LETTERS && matchRank(rest, name) === LETTERS) return LETTERS + letterDistance(rest, name) / FAR;
  return rank === NO_MATCH && help.toLowerCase().includes(word) ? LETTERS : rank;
}

const MAX_KEYS = 18;
/** Lines of a help that does not fit beside its item. */
const MAX_HELP = 3;
/** The mark of the cursor and of the item, and spaces. */
const AROUND = 3;

function columnsOf(items: readonly MenuItem[], width: number) {
  const widest = (text: (item: MenuItem) => string) =>
    items.reduce((most, item) => Math.max(most, textWidth(text(item))), 0);
  const keys = Math.min(
    MAX_KEYS,
    widest(({ keys = "" }) => keys),
  );
  const label = Math.min(widest(labelText), Math.floor(width * 0.4));
  const used = AROUND + (keys > 0 ? keys + GAP.length : 0) + label + GAP.length;
  return { keys, label, help: Math.max(0, width - used) };
}

function labelText({ label, argument = "" }: MenuItem): string {
  return visibleText(`${label} ${argument}`).trimEnd();
}

function menuPanel(state: State, open: OpenMenu, size: Size, commands: readonly Command[]): PanelContent {
  const { title, items, words, rows, above, sizes, below, page } = shownMenu(state, open, commands, size);
  const { cursor, marks } = open;
  const { top } = keepVisible({ cursor: rows.indexOf(cursor), top: open.top }, rows.length, page);
  const lines = rows.slice(top, top + page).map((row) => {
    if (typeof row === "string") return [{ text: ` ${visibleText(row)}`, role: "muted", isBold: true } as const];
    const item = items[row];
    return item ? rowLine(cells(item, words, marks.has(item.label), sizes), row === cursor, true) : [];
  });
  const blanks = Array.from({ length: page - lines.length }, () => []);
  const full = wrapLines(helpText(items[cursor]), textColumns(size), "muted").slice(0, below - 1);
  return {
    title: `${visibleText(title)}${marks.size > 0 ? `  ✓ ${countText(marks.size)} marked` : ""}`,
    footnote: rows.length > page ? `${countText(cursor + 1)}/${countText(items.length)}` : undefined,
    isFocused: true,
    lines: [...above, ...lines, ...(below > 0 ? [...blanks, [], ...full.map(indented)] : [])],
    select: (now, { line }) => {
      const row = rows[top + line - above.length];
      return typeof row === "number" ? withData(now, MENU, { ...open, cursor: row, top }) : undefined;
    },
  };
}

/** In place of the help why it can't be chosen now. */
function helpText({ help = "", whyNot }: Partial<MenuItem> = {}): string {
  return whyNot === undefined ? help : `✗ ${whyNot}`;
}

function cells(item: MenuItem, words: readonly string[], isMarked: boolean, sizes: ReturnType<typeof columnsOf>): Line {
  const role = item.whyNot === undefined ? (item.role ?? "text") : "muted";
  const keys: Line = [{ text: fitText(item.keys ?? "", sizes.keys), role: "accent" }, { text: GAP }];
  return [
    { text: isMarked ? "✓" : " ", role: "accent" },
    ...(sizes.keys > 0 ? keys : []),
    ...highlight(words, labelText(item), sizes.label, { role }),
    { text: GAP },
    { text: cellText(helpText(item), sizes.help), role: "muted" },
  ];
}

const HELP_KEY = hints("F1 help");

/** The text while it is typed, below a notice. */
function inputLines(state: State, open: OpenMenu): Line[] | undefined {
  if (!open.isTyping) return undefined;
  const { field, menu } = open;
  const { notice, columns } = state;
  const width = Math.min(columns - 2, textWidth(visibleText(field.text)) + 1);
  const keys = MENU.hints?.(state, open) ?? [];
  const line = keyLine(keys.slice(0, -1), columns - 2 - width, [...HELP_KEY, ...keys.slice(-1)]);
  const rest = columns - 2 - lineWidth(line);
  const above = notice ? noticeLines(notice, columns) : [];
  return [
    ...above,
    [
      { text: ` ${menu.prompt ?? "/"}`, role: "accent" },
      ...textInput(field, Math.max(width, rest)),
      ...(width > rest ? [] : line),
    ],
  ];
}

function menuKey(shown: State, open: OpenMenu, key: Key, commands: readonly Command[]): Step {
  const { menu, field, isTyping, marks } = open;
  const state: State = { ...shown, notice: undefined };
  const at = shownMenu(state, open, commands, questionSize(layoutOf(state)));
  const item = at.items[open.cursor];
  const go = (change: Partial<OpenMenu>) => step(withData(state, MENU, { ...open, ...change }));
  const typed = (next: TextField) => go({ field: next, cursor: 0, top: 0 });
  const name = isTyping ? editKeyName(key) : commandKeyName(key);
  if (name === "enter") return choose(state, open, at.items, commands);
  if (name === "escape") return isTyping && menu.prompt === undefined ? go({ isTyping: false }) : step(pop(state));
  if (isTyping && name === "backspace" && field.text === "") return step(pop(state));
  if (isTyping && name === "tab") return item?.text === undefined ? step(state) : typed(textField(item.text));
  if (!isTyping && name === "q") return step(pop(state));
  if (!isTyping && name === "/") return go({ isTyping: true });
  if (!isTyping && menu.onMarked && name === "*") return go({ marks: allOrNone(marks, at.items) });
  if (isTyping && !TYPING_MOVES.includes(name)) {
    const edited = editLine(field, key);
    return edited === field ? step(state) : typed(edited);
  }
  const isMark = !isTyping && menu.onMarked !== undefined && name === "space";
  const moved = moveCursor({ cursor: open.cursor, top: 0 }, at.items.length, at.page, isMark ? "down" : name);
  if (!moved) return step(state);
  const { top } = keepVisible({ cursor: at.rows.indexOf(moved.cursor), top: open.top }, at.rows.length, at.page);
  // The heading of the first item is above it.
  return go({ cursor: moved.cursor, top: moved.cursor === 0 ? 0 : top, marks: isMark ? toggled(marks, item) : marks });
}

/** Keys that move in the list while a text is typed. */
const TYPING_MOVES = ["up", "down", "pageup", "pagedown"];

function toggled(marks: ReadonlySet<string>, item: MenuItem | undefined): ReadonlySet<string> {
  if (!item || item.whyNot !== undefined) return marks;
  const next = new Set(marks);
  if (!next.delete(item.label)) next.add(item.label);
  return next;
}

function allOrNone(marks: ReadonlySet<string>, items: readonly MenuItem[]): ReadonlySet<string> {
  const labels = items.flatMap(({ label, whyNot }) => (whyNot === undefined ? [label] : []));
  const isNone = labels.every((label) => marks.has(label));
  return isNone ? new Set([...marks].filter((label) => !labels.includes(label))) : new Set([...marks, ...labels]);
}

/** Runs what is marked, or else the item under the cursor; where none fits, what was typed. */
function choose(
  state: State,
  { menu, field, cursor, marks }: OpenMenu,
  items: readonly MenuItem[],
  commands: readonly Command[],
): Step {
  const item = items[cursor];
  if (menu.onMarked && marks.size > 0) return menu.onMarked(pop(state), [...marks]);
  if (!item) return menu.otherwise?.(pop(state), field.text, commands) ?? step(state);
  return item.whyNot === undefined ? item.run(pop(state)) : step(notify(state, item.whyNot, "error"));
}
