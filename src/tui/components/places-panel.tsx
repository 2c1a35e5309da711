import type { Size } from "../state/layout.js";
import type { State } from "../state/state.js";
import type { Line } from "../text/line.js";
import { Panel } from "./panel.js";
import { placeLine } from "./place-line.js";

interface PlacesPanelProps {
  readonly state: State;
  readonly size: Size;
  readonly isFocused: boolean;
}

const TITLES = { profile: "Profiles", environment: "Environments", server: "Servers" } as const;

/** The places that can be opened. */
export function PlacesPanel({ state, size, isFocused }: PlacesPanelProps) {
  const { places, placeCursor } = state;
  const page = size.height - 2;
  return (
    <Panel
      size={size}
      title={placesTitle(state)}
      footnote={places.length > page ? `${placeCursor + 1}/${places.length}` : undefined}
      isFocused={isFocused}
      lines={placeLines(state, placeCursor, size, isFocused)}
    />
  );
}

/** The places around a cursor that fit into a panel. */
export function placeLines(state: State, cursor: number, { width, height }: Size, isFocused: boolean): Line[] {
  const page = height - 2;
  const top = Math.max(0, cursor - page + 1);
  return state.places.slice(top, top + page).map((place, index) => {
    const look = { isCursor: top + index === cursor, isOpen: top + index === state.place, isFocused };
    return placeLine(place, look, width - 2);
  });
}

function placesTitle({ places }: State): string {
  const kind = places[0]?.kind ?? "profile";
  return places.every((place) => place.kind === kind) ? TITLES[kind] : "Sources";
}
