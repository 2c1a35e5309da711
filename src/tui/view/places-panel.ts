import type { Size } from "../state/layout.js";
import type { PlaceInfo, State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, type Line, type Span } from "../text/line.js";
import { cursorLook, type PanelContent } from "./panel-content.js";

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

export function pickPanel(state: State, cursor: number, size: Size): PanelContent {
  return {
    title: `Compare ${placeName(state, state.place)} with`,
    isFocused: true,
    lines: placeLines(state, cursor, size, true),
  };
}

function placeLines(state: State, cursor: number, { width, height }: Size, isFocused: boolean): Line[] {
  const page = height - 2;
  const top = Math.max(0, cursor - page + 1);
  return state.places.slice(top, top + page).map((place, index) => {
    const look = { isCursor: top + index === cursor, isOpen: top + index === state.place, isFocused };
    return placeLine(place, look, width - 2);
  });
}

const WIDE = 50;

/** `›● shop/development` in exactly `width` columns. */
function placeLine(
  { name, detail }: PlaceInfo,
  { isCursor, isOpen, isFocused }: Readonly<Record<"isCursor" | "isOpen" | "isFocused", boolean>>,
  width: number,
): Line {
  const isInverse = isCursor && isFocused;
  const nameWidth = width < WIDE ? width - 4 : Math.min(40, Math.floor(width / 2));
  const marks = `${isCursor ? "›" : " "}${isOpen ? "●" : " "} `;
  const spans: Span[] = [{ text: marks + cellText(name, nameWidth), role: isOpen && !isInverse ? "accent" : "text" }];
  if (width >= WIDE) {
    const text = `  ${cellText(detail, width - nameWidth - 6)}`;
    spans.push({ text, role: isInverse ? "text" : "muted" });
  }
  return [...spans, { text: " " }].map((span) => ({ ...span, ...cursorLook(isCursor, isInverse) }));
}
