import { textWidth } from "../text/graphemes.js";
import { groupLabel, placeLabel } from "./places.js";
import type { PanelName, State } from "./state.js";

/** Columns and lines of a panel, with its border. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly places?: Size | undefined;
  readonly variables?: Size;
  readonly record?: Size;
  readonly isRecordBeside: boolean;
  readonly body: Size;
}

export const MIN_SCREEN = { columns: 60, rows: 15 } as const;

const WIDE = 120;
const MEDIUM = 80;
const MIN_PLACES = 20;
/** The border, the marks of the cursor and the open place, and the sign of its health. */
const AROUND_PLACE = 8;
/** The border, and spaces around it. */
const AROUND_GROUP = 4;

/** Whether nothing is shown. */
export function isTooSmall({ columns, rows }: Pick<State, "columns" | "rows">): boolean {
  return columns < MIN_SCREEN.columns || rows < MIN_SCREEN.rows;
}

type Shape = Pick<State, "columns" | "rows" | "focus" | "places">;

/** The width of the list for names of 32 columns and values of 40. */
const MIN_VARIABLES = 89;
/** The same beside descriptions of 24. */
const GOOD_VARIABLES = 115;
const MIN_RECORD = 40;

/**
 * On a wide screen three panels side by side; on a medium one two, with the record below; else one, with places on
 * demand.
 */
export function layoutOf({ columns, rows, focus, places: all }: Shape): Layout {
  const height = Math.max(3, rows - 2);
  const body = { width: columns, height };
  const placesWidth = columns >= WIDE ? placesWidthOf(all, 30) : columns >= MEDIUM ? placesWidthOf(all, 22) : 0;
  if (placesWidth === 0 && focus === "places") return { body, places: body, isRecordBeside: false };
  const places = placesWidth > 0 ? { width: placesWidth, height } : undefined;
  const width = columns - placesWidth;
  if (width >= MIN_VARIABLES + MIN_RECORD) {
    const record = { width: Math.max(MIN_RECORD, Math.min(Math.floor(width * 0.45), width - GOOD_VARIABLES)), height };
    return { body, places, variables: { width: width - record.width, height }, record, isRecordBeside: true };
  }
  const record = { width, height: Math.max(5, Math.floor(height * (focus === "record" ? 0.6 : 0.4))) };
  return { body, places, variables: { width, height: height - record.height }, record, isRecordBeside: false };
}

function placesWidthOf(places: Shape["places"], max: number): number {
  const widths = places.flatMap((place) => [
    textWidth(placeLabel(place)) + AROUND_PLACE,
    textWidth(groupLabel(place.group)) + AROUND_GROUP,
  ]);
  return Math.min(max, Math.max(MIN_PLACES, ...widths));
}

/** A form or a question replaces variables and record. */
export function questionSize({ body, places, variables }: Layout): Size {
  return places && variables ? { width: body.width - places.width, height: body.height } : body;
}

/** A comparison fills the body: the list of differences, and below it the detail of the one under the cursor. */
export function diffSizes(
  { body: { width, height } }: Pick<Layout, "body">,
  focus: "list" | "detail",
): Record<"list" | "detail", Size> {
  const detail = Math.max(5, Math.floor(height * (focus === "detail" ? 0.6 : 0.4)));
  return { list: { width, height: height - detail }, detail: { width, height: detail } };
}

type MatrixSizes = Record<"list" | "detail", Size>;

/** A matrix fills the body: the list, and below it the values of the variable under the cursor. */
export function matrixSizes({ body: { width, height } }: Pick<Layout, "body">, places: number): MatrixSizes {
  const detail = Math.min(Math.max(5, places + 4), Math.floor(height * 0.4));
  return { list: { width, height: height - detail }, detail: { width, height: detail } };
}

/** Lines for content in a panel: all but the border, and in the variables the heading. */
export function pageSize(state: State, panel: PanelName): number {
  const size = layoutOf(state)[panel] ?? { height: 3 };
  return panel === "variables" ? listPage(size) : Math.max(1, size.height - 2);
}

/** Lines for the rows of a list: all but the border and the heading. */
export function listPage({ height }: Pick<Size, "height">): number {
  return Math.max(1, height - 3);
}

/** Columns for text in a panel: all but the border and a space on either side. */
export function textColumns({ width }: Pick<Size, "width">): number {
  return Math.max(1, width - 4);
}
