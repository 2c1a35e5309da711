export const COLUMN_NAMES = ["name", "type", "value", "description"] as const;
export type ColumnName = (typeof COLUMN_NAMES)[number];

/** A column without a width fits its content if there is room. */
export interface ColumnChoice {
  readonly name: ColumnName;
  readonly width?: number | undefined;
}

export interface Preferences {
  readonly columns?: readonly ColumnChoice[] | undefined;
  /**
   * Default: `secret`, which masks the values of variables that are not public.
   */
  readonly masked?: "secret" | "all" | undefined;
  /** Milliseconds between checks for changes. */
  readonly pollMs?: number | undefined;
}
