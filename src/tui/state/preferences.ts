export const COLUMN_NAMES = ["name", "type", "value", "description"] as const;
export type ColumnName = (typeof COLUMN_NAMES)[number];

/** A column of the list of variables; without a width it fits its content, as far as there is room. */
export interface ColumnChoice {
  readonly name: ColumnName;
  readonly width?: number | undefined;
}

/** The user's settings. */
export interface Preferences {
  readonly columns?: readonly ColumnChoice[] | undefined;
  /** Milliseconds between checks for changes. */
  readonly pollMs?: number | undefined;
  /** The key of each command that has one, as `keysByName` gives them. */
  readonly keys?: ReadonlyMap<string, string> | undefined;
}
