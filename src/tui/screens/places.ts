import type { VariableEntry } from "../../domain/source.js";
import { copyTo } from "../edit/planning.js";
import { bodyPage, type Size } from "../state/layout.js";
import {
  groupLabel,
  identityOf,
  isProduction,
  placeLabel,
  placeName,
  placeOrder,
  placeRows,
  visiblePlaceRows,
  whyReadOnly,
} from "../state/places.js";
import { type Health, healthOf } from "../state/reading.js";
import { notify, type State, type Step } from "../state/state.js";
import { step } from "../state/work.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, countText, type Line, type Span } from "../text/line.js";
import { type Cell, GAP, type PanelContent, rowLine, variablesText } from "../view/panel.js";
import { hints, pop, push, type Screen, withData } from "../view/screen.js";
import { commandKeyName, type Key } from "../widgets/key.js";
import { keepVisible, moveCursor } from "../widgets/list.js";

const TITLES = { profile: "Profiles", environment: "Environments", server: "Servers" } as const;

export function placesPanel(state: State, size: Size, isFocused: boolean): PanelContent {
  const { places, placeCursor } = state;
  const order = placeOrder(places);
  const at = order.indexOf(placeCursor);
  const kind = places[0]?.kind ?? "profile";
  return {
    title: places.every((place) => place.kind === kind) ? TITLES[kind] : "Sources",
    footnote: placeRows(places).length > size.height - 2 ? `${at + 1}/${places.length}` : undefined,
    isFocused,
    lines: placeLines(state, placeCursor, size, isFocused),
    panel: "places",
    select: selectPlace(state, placeCursor, size, (now, index) => ({ ...now, placeCursor: index })),
    scroll: (now, by) => ({
      ...now,
      placeCursor: order[keepVisible({ cursor: at + by, top: 0 }, order.length, 1).cursor] ?? placeCursor,
    }),
  };
}

function pickPanel(state: State, pick: Pick, size: Size): PanelContent {
  const { cursor, title } = pick;
  return {
    title,
    isFocused: true,
    lines: placeLines(state, cursor, size, true),
    select: selectPlace(state, cursor, size, (now, index) =>
      // The open place is not one to pick.
      index === state.place ? now : withData(now, PICK, { ...pick, cursor: index }),
    ),
  };
}

function selectPlace(
  { places }: State,
  cursor: number,
  { height }: Size,
  select: (state: State, index: number) => State,
) {
  const rows = visiblePlaceRows(places, cursor, height - 2);
  return (state: State, { line }: Cell): State | undefined => {
    const row = rows[line];
    return row && "index" in row ? select(state, row.index) : undefined;
  };
}

function placeLines(state: State, cursor: number, { width, height }: Size, isFocused: boolean): Line[] {
  const rows = visiblePlaceRows(state.places, cursor, height - 2);
  return rows.map((row) => {
    if ("group" in row) return headingLine(row.group, width - 2);
    return rowLine(cells(state, row.index, width - 2), row.index === cursor, isFocused);
  });
}

const WIDE = 50;

/** The whole of a group's name where there is room. */
function headingLine(group: string, width: number): Line {
  const text = width < WIDE ? groupLabel(group) : visibleText(group);
  return [{ text: ` ${cellText(text, width - 2)} `, role: "muted", isBold: true }];
}

const HEALTH: Readonly<Record<Health, Span>> = {
  reading: { text: "…", role: "muted" },
  ok: { text: "✓", role: "success" },
  problem: { text: "!", role: "warning" },
  failed: { text: "✗", role: "danger" },
  unread: { text: "·", role: "muted" },
};

/** `● production ✓`, and where there is room its identity. */
function cells(state: State, index: number, width: number): Line {
  const place = state.places[index];
  if (!place) return [];
  const isOpen = index === state.place;
  const nameWidth = width < WIDE ? width - 6 : Math.min(40, Math.floor(width / 2));
  const role = isProduction(place) ? "warning" : isOpen ? "accent" : "text";
  const name: Span = { text: `${isOpen ? "●" : " "} ${cellText(placeLabel(place), nameWidth)} `, role };
  const health = HEALTH[healthOf(state, index)];
  if (width < WIDE) return [name, health];
  const identity = identityOf(place) ?? "";
  return [name, health, { text: `${GAP}${cellText(identity, width - nameWidth - 8)}`, role: "muted" }];
}

/** The use of the picked place. */
type OnPicked = (state: State, place: number) => Step;

/** A place is being picked. */
interface Pick {
  readonly title: string;
  /** Indexes of the places that can be picked. */
  readonly places: readonly number[];
  /** Index of a place. */
  readonly cursor: number;
  readonly onPicked: OnPicked;
}

const PICK_KEYS = hints("↑↓ move, Enter choose, Esc back");

const PICK: Screen<Pick> = { name: "pick", key: pickKey, panel: pickPanel, hints: () => PICK_KEYS };

/** Indexes of all places but one, by default the open one. */
function otherPlaces({ places, place }: State, from = place): readonly number[] {
  return placeOrder(places).filter((index) => index !== from);
}

export function otherPlaceNames(state: State): readonly string[] {
  return otherPlaces(state).flatMap((index) => state.places[index]?.name ?? []);
}

/** Lets the person pick the place to compare with. */
export function pickToCompare(state: State, onPicked: OnPicked): Step {
  const title = `Compare ${placeName(state, state.place)} with`;
  return pick(state, { title, places: otherPlaces(state), onPicked }, state.place, "compare with");
}

/** Lets the person pick a place, unless there is only one. @param from the place that values come from */
function pick(state: State, { places, ...rest }: Omit<Pick, "cursor">, from: number, what: string): Step {
  const [first, ...more] = places;
  if (first === undefined) return step(notify(state, `there is no other place to ${what}`));
  if (more.length === 0) return rest.onPicked(state, first);
  const inGroup = places.find((index) => state.places[index]?.group === state.places[from]?.group);
  return step(push(state, PICK, { ...rest, places, cursor: inGroup ?? first }));
}

function pickKey(state: State, open: Pick, key: Key): Step {
  const name = commandKeyName(key);
  const { places, cursor, onPicked } = open;
  if (name === "escape" || name === "q") return step(pop(state));
  if (name === "enter") return onPicked(pop(state), cursor);
  const moved = moveCursor({ cursor: places.indexOf(cursor), top: 0 }, places.length, bodyPage(state), name);
  const next = moved && places[moved.cursor];
  return step(next === undefined ? state : withData(state, PICK, { ...open, cursor: next }));
}

/** Lets the person pick the place to which the values are taken over. @param from theirs, by default the open place */
export function openTakeOver(state: State, entries: readonly VariableEntry[], from = state.place): Step {
  if (withValue(entries).length === 0) return step(notify(state, nothingText(entries), "error"));
  const title = `Copy ${variablesText(entries.map(({ variable }) => variable))} to`;
  const places = otherPlaces(state, from).filter((index) => whyReadOnly(state, index) === undefined);
  const onPicked: OnPicked = (next, place) => copyTo(next, entries, [place]);
  return pick(state, { title, places, onPicked }, from, "copy it to");
}

function withValue(entries: readonly VariableEntry[]): readonly VariableEntry[] {
  return entries.filter(({ value }) => value !== undefined);
}

function nothingText(entries: readonly VariableEntry[]): string {
  const [first, ...others] = entries;
  if (!first) return "no variable is selected";
  if (others.length === 0) return `${first.variable.name} has no value here`;
  return `none of the ${countText(entries.length)} variables has a value here`;
}
