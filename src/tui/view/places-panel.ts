import { keepVisible } from "../state/cursor.js";
import type { Size } from "../state/layout.js";
import type { Health } from "../state/loaded.js";
import type { PickMode } from "../state/modes.js";
import {
  groupLabel,
  healthOf,
  identityOf,
  placeLabel,
  placeOrder,
  placeRows,
  visiblePlaceRows,
} from "../state/places.js";
import { isProduction } from "../state/production.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, type Line, type Span } from "../text/line.js";
import { type Cell, GAP, type PanelContent, rowLine, variablesText } from "./panel-content.js";

const TITLES = { profile: "Profiles", environment: "Environments", server: "Servers" } as const;

export function placeName({ places }: Pick<State, "places">, index: number): string {
  return visibleText(places[index]?.name ?? "");
}

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
