import { type PanelContent, rowLine, scrolledLines } from "../stack/panel.js";
import { dataOf, hints, pop, push, type Screen, withData } from "../stack/screen.js";
import { layoutOf, textColumns } from "../state/layout.js";
import { type Next, notify, type State } from "../state/state.js";
import { filterWords } from "../text/fuzzy.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { countText, indented, type Line, wrapLines } from "../text/line.js";
import { commandKeyName, editKeyName, type Key } from "../widgets/key.js";
import { keepVisible, moveCursor, type Position, scrollBy } from "../widgets/list.js";
import { applyKeyToLine, type TextField, textField } from "../widgets/text-field.js";
import { TYPING_MOVES, typedLine } from "./filter-prompt.js";
import { helpText, itemCells, itemWidths, MAX_HELP, type MenuItem, ranked } from "./menu-items.js";

export interface MenuContent {
  readonly title: string;
  /** A string above the items. */
  readonly intro?: string | undefined;
  readonly items: readonly MenuItem[];
  /** The part of the typed text that items must match. Default: all. */
  readonly query?: string;
}

export interface Menu {
  /** @param state the state without the menu */
  content(state: State, text: string): MenuContent;
  /** What Enter does, such as `copy`. */
  readonly verb: string;
  /**
   * Whether the menu is the command line, in which the user types immediately.
   */
  readonly isCommandLine?: true;
  /** Whether typed text can leave out letters. */
  readonly isFuzzy?: true;
  /** Runs the typed text if no item matches. */
  otherwise?(state: State, text: string): State;
  /**
   * Runs the marked items. The menu stays open. Default: items can't be marked.
   */
  onMarked?(state: State, labels: readonly string[]): State;
  /** Keys that work while no text is typed. The menu stays open. */
  readonly keys?: Readonly<Record<string, Next>>;
  /** Hints for `keys`, such as `v show values`. */
  readonly hints?: string;
}

export function choiceMenu(
  title: string,
  items: readonly MenuItem[],
  verb = "choose",
  intro?: string,
): Menu {
  return { verb, isFuzzy: true, content: () => ({ title, items, intro }) };
}

interface OpenMenu extends Position {
  readonly menu: Menu;
  readonly field: TextField;
  readonly isTyping: boolean;
  /** Labels of the marked items. */
  readonly marks: ReadonlySet<string>;
  /** The first visible line of the detail. */
  readonly detailTop: number;
}

/** @param marked labels of items to mark */
export function openMenu(
  state: State,
  menu: Menu,
  text = "",
  marked: Iterable<string> = [],
): State {
  const position = { cursor: 0, top: 0, detailTop: 0, isTyping: menu.isCommandLine === true };
  return push(state, MENU, { menu, field: textField(text), ...position, marks: new Set(marked) });
}

const MENU: Screen<OpenMenu> = {
  name: "menu",
  key: menuKey,
  body: (state, open, { body }) => [{ size: body, content: menuPanel(state, open) }],
  input: typedLines,
  types: (_state, { isTyping }) => isTyping,
  hints: (_state, { menu: { verb, onMarked, isCommandLine, hints: own }, isTyping }) => {
    const marking = (onMarked ? "Space mark, * mark all, " : "") + (own ? `${own}, ` : "");
    const more = isTyping ? (isCommandLine ? "Tab complete, " : "") : `${marking}/ find, `;
    return hints(`Enter ${verb}, ↑↓ move, ${more}Esc back`);
  },
  more: (_state, { isTyping }) =>
    hints(
      `PgUp a page up, PgDn a page down${isTyping ? "" : ", j down, k up, g first, G last, q back"}`,
    ),
};

export function isMenu(state: State, menu: Menu): boolean {
  return dataOf(state, MENU)?.menu === menu;
}

type ShownMenu = ReturnType<typeof shownMenu>;

/**
 * The matching items, the rows as indexes of items or headings, and the detail,
 * which has `below` lines.
 */
function shownMenu(state: State, { menu, field, cursor }: OpenMenu) {
  const { body: size } = layoutOf(state);
  const width = textColumns(size);
  const { title, intro, items: all, query = field.text } = menu.content(pop(state), field.text);
  const words = filterWords(query).map((word) =>
    menu.isFuzzy && !/^['~!]/.test(word) ? `~${word}` : word,
  );
  const items = words.length === 0 ? all : ranked(all, query.trim(), words, !menu.isCommandLine);
  const rows = items.flatMap(({ group }, index) => {
    const isFirst = words.length === 0 && group !== undefined && group !== items[index - 1]?.group;
    return isFirst ? [group, index] : [index];
  });
  const introLines =
    intro === undefined ? [] : [...wrapLines(intro, width, "text"), []].map(indented);
  const above = introLines.length + rows.length + MAX_HELP < size.height ? introLines : [];
  const widths = itemWidths(all, width);
  const isCut = all.some(({ help = "" }) => textWidth(help) > widths.help);
  const helpRows = isCut ? Math.min(MAX_HELP, Math.floor(size.height / 6)) : -1;
  const below = all.some(({ detail }) => detail) ? Math.floor(size.height * 0.6) - 1 : helpRows;
  const item = items[cursor];
  const help = helpText(item);
  const helpLines = () => (help === "" ? [] : wrapLines(help, width, "muted"));
  const detail = () => [...helpLines(), ...(item?.detail?.(state, width) ?? [])];
  const page = Math.max(1, size.height - 3 - above.length - below);
  return { title, items, words, rows, above, widths, page, below, detail };
}

function menuPanel(state: State, open: OpenMenu): PanelContent {
  const shown = shownMenu(state, open);
  const { title, items, words, rows, above, page, below, detail } = shown;
  const { cursor, marks } = open;
  const { top } = keepVisible({ cursor: rows.indexOf(cursor), top: open.top }, rows.length, page);
  const lines = rows.slice(top, top + page).map((row) => {
    if (typeof row === "string")
      return [{ text: ` ${visibleText(row)}`, role: "muted", isBold: true } as const];
    const item = items[row];
    return item ? rowLine(itemCells(item, shown, marks.has(item.label)), row === cursor, true) : [];
  });
  if (items.length === 0 && words.length > 0)
    lines.push([{ text: ` nothing matches "${visibleText(open.field.text)}"`, role: "muted" }]);
  const blanks = Array.from({ length: page - lines.length }, () => []);
  const { lines: full } = scrolledLines(detail(), open.detailTop, below);
  return {
    title: `${marks.size > 0 ? `✓ ${countText(marks.size)} marked  ` : ""}${visibleText(title)}`,
    footnote:
      rows.length > page ? `${countText(cursor + 1)}/${countText(items.length)}` : undefined,
    isFocused: true,
    lines: [...above, ...lines, ...(below >= 0 ? [...blanks, [], ...full] : [])],
    select: (now, { line }) => {
      const row = rows[top + line - above.length];
      return typeof row === "number"
        ? withData(now, MENU, { ...open, cursor: row, top })
        : undefined;
    },
  };
}

function typedLines(state: State, open: OpenMenu): Line[] | undefined {
  const { isTyping, field, menu } = open;
  const keys = MENU.hints?.(state, open) ?? [];
  return isTyping
    ? [typedLine(menu.isCommandLine ? ":" : "/", field, "", keys, state.columns)]
    : undefined;
}

function menuKey(before: State, open: OpenMenu, key: Key): State {
  const { menu, isTyping, field } = open;
  const state: State = { ...before, notice: undefined };
  const shown = shownMenu(state, open);
  const { items, rows, page } = shown;
  const name = isTyping ? editKeyName(key) : commandKeyName(key);
  if (name === "enter") return runChosen(state, open, shown);
  const isClosed = isTyping ? name === "backspace" && field.text === "" : name === "q";
  const isCancelled = isTyping && !menu.isCommandLine;
  if (isClosed || (name === "escape" && !isCancelled)) return pop(state);
  const own = isTyping ? undefined : menu.keys?.[name];
  if (own) return own(state);
  const change = isTyping ? handleTyping(open, key, items) : handleBrowsing(open, name, shown);
  const moved = moveCursor({ ...open, top: 0 }, items.length, page, name);
  const next = { ...open, ...(change ?? (moved && { ...moved, detailTop: 0 })) };
  // With the first item, also show its heading.
  const at = next.cursor === 0 ? 0 : rows.indexOf(next.cursor);
  return withData(state, MENU, {
    ...next,
    top: keepVisible({ cursor: at, top: open.top }, rows.length, page).top,
  });
}

function handleTyping(
  { field, cursor }: OpenMenu,
  key: Key,
  items: readonly MenuItem[],
): Partial<OpenMenu> | undefined {
  const name = editKeyName(key);
  if (name === "escape") return { isTyping: false, field: textField(""), cursor: 0 };
  if (TYPING_MOVES.includes(name)) return undefined;
  const completed = name === "tab" ? items[cursor]?.text : undefined;
  const edited = completed === undefined ? applyKeyToLine(field, key) : textField(completed);
  return edited === field ? {} : { field: edited, cursor: 0 };
}

/** Handles the keys to search, scroll and mark. */
function handleBrowsing(
  { menu, cursor, marks, detailTop }: OpenMenu,
  name: string,
  { items, detail, below }: ShownMenu,
) {
  if (name === "/") return { isTyping: true };
  if (name === "J" || name === "K")
    return { detailTop: scrollBy(detailTop, detail().length, below, name === "J" ? 1 : -1) };
  if (!menu.onMarked || !(name === "space" || name === "*")) return undefined;
  const labels = (name === "*" ? items : items.slice(cursor, cursor + 1)).map(({ label }) => label);
  const isUnmarking = labels.every((label) => marks.has(label));
  const next = isUnmarking
    ? [...marks].filter((label) => !labels.includes(label))
    : [...marks, ...labels];
  return {
    marks: new Set(next),
    ...(name === "space" && cursor < items.length - 1 && { cursor: cursor + 1 }),
  };
}

/**
 * Runs the marked items, or else the item under the cursor, or else the typed
 * text.
 */
function runChosen(state: State, open: OpenMenu, { items }: ShownMenu): State {
  const { menu, field, cursor, marks } = open;
  const item = items[cursor];
  if (menu.onMarked && marks.size > 0) return menu.onMarked(state, [...marks]);
  if (!item) return menu.otherwise?.(pop(state), field.text) ?? state;
  return item.whyNot === undefined
    ? item.run(item.isKept ? state : pop(state))
    : notify(state, item.whyNot, "error");
}
