import { textWidth } from "../text/text-width.js";
import { visibleText } from "../text/visible-text.js";
import type { Panel, State } from "./state.js";

/** Columns and lines of a panel, its border included. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Which panels are seen, and how large they are. The header and the footer take a line each. */
export interface Layout {
  readonly places: Size | undefined;
  readonly variables: Size | undefined;
  readonly record: Size | undefined;
  /** Whether the record is right of the variables, or below them. */
  readonly isRecordBeside: boolean;
  /** What is between header and footer, for what fills the screen. */
  readonly body: Size;
}

/** The least that it is usable at. */
export const SMALLEST = { columns: 60, rows: 15 } as const;

const WIDE = 120;
const MEDIUM = 80;
/** Its title has room in it. */
const LEAST_PLACES = 20;
/** The border, what marks the cursor and the open place, and a space after the name. */
const AROUND_PLACE = 6;

type Shape = Pick<State, "columns" | "rows" | "focus" | "places">;

/** Three panels side by side where there is room; two, with the record below; or one column, where places come on demand. */
export function layoutOf({ columns, rows, focus, places: all }: Shape): Layout {
  const body = { width: columns, height: Math.max(3, rows - 2) };
  const placesWidth = columns >= WIDE ? placesWidthOf(all, 30) : columns >= MEDIUM ? placesWidthOf(all, 22) : 0;
  const width = columns - placesWidth;
  const places = placesWidth > 0 ? { width: placesWidth, height: body.height } : undefined;
  if (columns >= WIDE) {
    const recordWidth = Math.floor(width * 0.45);
    const variables = { width: width - recordWidth, height: body.height };
    return { body, places, variables, record: { width: recordWidth, height: body.height }, isRecordBeside: true };
  }
  if (!places && focus === "places") {
    return { body, places: body, variables: undefined, record: undefined, isRecordBeside: false };
  }
  const recordHeight = Math.max(5, Math.floor(body.height * (focus === "record" ? 0.6 : 0.4)));
  const variables = { width, height: body.height - recordHeight };
  return { body, places, variables, record: { width, height: recordHeight }, isRecordBeside: false };
}

/** As wide as the longest name of a place needs, within bounds. */
function placesWidthOf(places: Shape["places"], most: number): number {
  const longest = places.reduce((width, { name }) => Math.max(width, textWidth(visibleText(name))), 0);
  return Math.min(most, Math.max(LEAST_PLACES, longest + AROUND_PLACE));
}

/** What asks for something is in the place of variables and record. */
export function questionSize({ body, places, variables }: Layout): Size {
  return places && variables ? { width: body.width - places.width, height: body.height } : body;
}

/** Lines of a panel that can hold something: all but its border, and of the variables the heading. */
export function pageSize(state: State, panel: Panel): number {
  const size = layoutOf(state)[panel];
  return Math.max(1, (size?.height ?? 3) - (panel === "variables" ? 3 : 2));
}
