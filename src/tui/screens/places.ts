import type { VariableEntry } from "../../domain/source.js";
import { assignedIn } from "../edit/review.js";
import { bodyPage, type Size } from "../state/layout.js";
import type { Health } from "../state/loaded.js";
import { type Step, step } from "../state/messages.js";
import type { PickMode } from "../state/modes.js";
import {
  groupLabel,
  healthOf,
  identityOf,
  isProduction,
  placeLabel,
  placeName,
  placeOrder,
  placeRows,
  visiblePlaceRows,
} from "../state/places.js";
import type { Assignment } from "../state/ports.js";
import { notify, type State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, countText, type Line, type Span } from "../text/line.js";
import { type Cell, GAP, type PanelContent, rowLine, variablesText } from "../view/panel.js";
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

export function pickPanel(state: State, mode: PickMode, size: Size): PanelContent {
  const { purpose, cursor } = mode;
  return {
    title:
      purpose.kind === "compare"
        ? `Compare ${placeName(state, state.place)} with`
        : `Take over ${variablesText(purpose.entries.map(({ variable }) => variable))} to`,
    isFocused: true,
    lines: placeLines(state, cursor, size, true),
    select: selectPlace(state, cursor, size, (now, index) =>
      // The open place is not one to pick.
      index === state.place ? now : { ...now, mode: { ...mode, cursor: index } },
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

/** Indexes of the places that can be picked: for a take-over, not those that are known to be read-only. */
function pickable(state: State, purpose: PickMode["purpose"]): readonly number[] {
  const others = otherPlaces(state, fromPlace(state, purpose));
  return purpose.kind === "compare" ? others : others.filter((index) => whyReadOnly(state, index) === undefined);
}

/** Indexes of all places but one, by default the open one. */
function otherPlaces({ places, place }: State, from = place): readonly number[] {
  return placeOrder(places).filter((index) => index !== from);
}

/** The place that values are compared with or taken over from. */
function fromPlace({ place }: State, purpose: PickMode["purpose"]): number {
  return purpose.kind === "compare" ? place : (purpose.from ?? place);
}

export function otherPlaceNames(state: State): readonly string[] {
  return otherPlaces(state).flatMap((index) => state.places[index]?.name ?? []);
}

/** Lets the person pick another place, unless there is only one. */
export function openPick(state: State, purpose: PickMode["purpose"], onPicked: OnPicked): Step {
  const from = fromPlace(state, purpose);
  const [first, ...more] = pickable(state, purpose);
  if (first === undefined) return step(notify(state, `there is no other place to ${NO_PLACE[purpose.kind]}`));
  if (more.length === 0) return onPicked(state, first);
  const inGroup = [first, ...more].find((index) => state.places[index]?.group === state.places[from]?.group);
  return step({ ...state, mode: { kind: "pick", purpose, cursor: inGroup ?? first, back: state.mode } });
}

const NO_PLACE = { compare: "compare with", "take-over": "take it over to" } as const;

export function pickKey(state: State, mode: PickMode, key: Key, onPicked: OnPicked): Step {
  const name = commandKeyName(key);
  const returned: State = { ...state, mode: mode.back };
  if (name === "escape" || name === "q") return step(returned);
  if (name === "enter") return onPicked(returned, mode.cursor);
  const places = pickable(state, mode.purpose);
  const moved = moveCursor({ cursor: places.indexOf(mode.cursor), top: 0 }, places.length, bodyPage(state), name);
  const cursor = moved && places[moved.cursor];
  return step(cursor === undefined ? state : { ...state, mode: { ...mode, cursor } });
}

/** Why a place can't be edited, as far as known. */
export function whyReadOnly(state: State, place: number): string | undefined {
  const { mode, loaded } = state;
  const isRead = place === state.place && loaded.isComplete && !loaded.isEditable;
  const isCompared = mode.kind === "diff" && mode.place === place && mode.phase === "ready" && !mode.isEditable;
  if (!isRead && !isCompared && state.places[place]?.kind !== "server") return undefined;
  return `${placeName(state, place)} is read-only: the variables of a server can't be edited here`;
}

/** Lets the person pick the place to which the values are taken over. @param from theirs, by default the open place */
export function openTakeOver(state: State, entries: readonly VariableEntry[], from?: number): Step {
  return withValue(entries).length === 0
    ? step(notify(state, nothingText(entries), "error"))
    : openPick(state, { kind: "take-over", entries, from }, (next, place) => takeOver(next, entries, place));
}

/**
 * Prepares an edit that gives the variables of another place these values; an encrypted value is taken over as it is
 * stored. Variables without a value are left out.
 *
 * @param to index of the place that is edited
 */
export function takeOver(state: State, entries: readonly VariableEntry[], to: number): Step {
  const refusal = whyReadOnly(state, to);
  if (refusal !== undefined) return step(notify(state, refusal, "error"));
  const assignments = withValue(entries).map((entry): Assignment => {
    return { name: entry.variable.name, ...assignedIn(entry) };
  });
  if (assignments.length === 0) return step(notify(state, nothingText(entries), "error"));
  return step(state, { type: "assign", place: to, purpose: "take-over", assignments });
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
