import type { Size } from "../state/layout.js";
import type { PickMode, PlaceInfo, State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, type Line, type Span } from "../text/line.js";
import { GAP, type PanelContent, rowLines, variablesText } from "./panel-content.js";

const TITLES = { profile: "Profiles", environment: "Environments", server: "Servers" } as const;

export function placeName({ places }: Pick<State, "places">, index: number): string {
  return visibleText(places[index]?.name ?? "");
}

export function placesPanel(state: State, size: Size, isFocused: boolean): PanelContent {
  const { places, placeCursor } = state;
  const kind = places[0]?.kind ?? "profile";
  return {
    title: places.every((place) => place.kind === kind) ? TITLES[kind] : "Sources",
    footnote: places.length > size.height - 2 ? `${placeCursor + 1}/${places.length}` : undefined,
    isFocused,
    lines: placeLines(state, placeCursor, size, isFocused),
  };
}

export function pickPanel(state: State, { purpose, cursor }: PickMode, size: Size): PanelContent {
  return {
    title:
      purpose.kind === "compare"
        ? `Compare ${placeName(state, state.place)} with`
        : `Take over ${variablesText(purpose.entries.map(({ variable }) => variable))} to`,
    isFocused: true,
    lines: placeLines(state, cursor, size, true),
  };
}

function placeLines({ places, place }: State, cursor: number, { width, height }: Size, isFocused: boolean): Line[] {
  const page = height - 2;
  const position = { cursor, top: Math.max(0, cursor - page + 1) };
  return rowLines(places, position, page, isFocused, (each, index) => cells(each, index === place, width - 2));
}

const WIDE = 50;

/** `● shop/development`, and what it is if there is room. */
function cells({ name, detail }: PlaceInfo, isOpen: boolean, width: number): Line {
  const nameWidth = width < WIDE ? width - 4 : Math.min(40, Math.floor(width / 2));
  const cell: Span = { text: `${isOpen ? "●" : " "} ${cellText(name, nameWidth)}`, role: isOpen ? "accent" : "text" };
  return width < WIDE ? [cell] : [cell, { text: `${GAP}${cellText(detail, width - nameWidth - 6)}`, role: "muted" }];
}
