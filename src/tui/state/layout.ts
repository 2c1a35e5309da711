import { textWidth } from "../text/graphemes.js";
import { groupLabel, shortPlaceName } from "./places.js";
import type { PanelName, State } from "./state.js";

/** Columns and lines, including the border. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly places?: Size | undefined;
  readonly variables?: Size;
  /**
   * The record is next to the variables if it is as tall as the body, otherwise
   * below them.
   */
  readonly record?: Size;
  readonly body: Size;
}

export const MIN_SCREEN = { columns: 40, rows: 10 } as const;
/** The body of a 60x15 screen. A smaller one shows one panel at a time. */
const SMALL = { width: 60, height: 13 } as const;

const WIDE = 120;
const MEDIUM = 80;
const MIN_PLACES = 20;
/**
 * The columns for the border, the cursor, the open place's mark, and the
 * health.
 */
const AROUND_PLACE = 8;
/** Marks a place that can't be edited. */
export const READ_ONLY = "ro ";

export function isTooSmall({ columns, rows }: State): boolean {
  return columns < MIN_SCREEN.columns || rows < MIN_SCREEN.rows;
}

/**
 * Whether a screen shows one panel at a time, and questions and forms without
 * empty lines.
 */
export function isSmall({ width, height }: Size): boolean {
  return width < SMALL.width || height < SMALL.height;
}

/** The width of the list for names of 32 columns and values of 40. */
const MIN_VARIABLES = 89;
/** The width that also fits descriptions of 24 columns. */
const GOOD_VARIABLES = 115;
const MIN_RECORD = 40;

/**
 * Lays out the panels: on a wide screen three side by side, on a medium one two
 * with the record below the variables. A narrower one shows the places only on
 * demand, and a small one only the focused panel.
 */
export function layoutOf({ columns, rows, focus, places: all }: State): Layout {
  const height = Math.max(3, rows - 2);
  const body = { width: columns, height };
  if (isSmall({ width: columns, height })) return { body, [focus]: body };
  const placesWidth =
    columns >= WIDE ? placesWidthOf(all, 30) : columns >= MEDIUM ? placesWidthOf(all, 22) : 0;
  if (placesWidth === 0 && focus === "places") return { body, places: body };
  const places = placesWidth > 0 ? { width: placesWidth, height } : undefined;
  const width = columns - placesWidth;
  if (width >= MIN_VARIABLES + MIN_RECORD) {
    const record = {
      width: Math.max(MIN_RECORD, Math.min(Math.floor(width * 0.45), width - GOOD_VARIABLES)),
      height,
    };
    return { body, places, variables: { width: width - record.width, height }, record };
  }
  const record = {
    width,
    height: detailHeight(height, focus === "record"),
  };
  return { body, places, variables: { width, height: height - record.height }, record };
}

function placesWidthOf(places: State["places"], max: number): number {
  const labels = places.flatMap(({ group, isGone, isServer, readOnly }, index) => {
    const mark = isServer || readOnly ? READ_ONLY : "";
    return isGone ? [] : [shortPlaceName({ places }, index) + mark, groupLabel(group)];
  });
  return Math.min(
    max,
    Math.max(MIN_PLACES, ...labels.map((label) => textWidth(label) + AROUND_PLACE)),
  );
}

/** A form or a question replaces the variables and the record. */
export function questionSize({ body, places, variables }: Layout): Size {
  return places && variables ? { width: body.width - places.width, height: body.height } : body;
}

type Parts = Record<"list" | "detail", Size>;

/**
 * The list of differences, and below it the selected one. A small screen shows
 * only the focused panel.
 */
export function diffSizes({ body }: Layout, focus: "list" | "detail"): Parts {
  const { height } = body;
  if (isSmall(body)) return splitBody(body, focus === "detail" ? height : 0);
  return splitBody(body, detailHeight(height, focus === "detail"));
}

/** The list, and below it the values of the selected variable. */
export function matrixSizes({ body }: Layout, places: number): Parts {
  if (isSmall(body)) return splitBody(body, 0);
  return splitBody(body, Math.min(Math.max(5, places + 4), Math.floor(body.height * 0.4)));
}

function detailHeight(height: number, isFocused: boolean): number {
  return Math.max(5, Math.floor(height * (isFocused ? 0.6 : 0.4)));
}

function splitBody({ width, height }: Size, detail: number): Parts {
  return { list: { width, height: height - detail }, detail: { width, height: detail } };
}

/**
 * The lines for content, without the border and the heading of the variables.
 */
export function pageSize(state: State, panel: PanelName): number {
  const size = layoutOf(state)[panel] ?? { height: 3 };
  return panel === "variables" ? listPage(size) : Math.max(1, size.height - 2);
}

export function listPage({ height }: Pick<Size, "height">): number {
  return Math.max(1, height - 3);
}

/** The columns for text, without the border and a space on either side. */
export function textColumns({ width }: Size): number {
  return Math.max(1, width - 4);
}
