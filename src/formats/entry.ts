import type { JsonValue, VariableType } from "../domain/variable.js";

/** One variable with its value, to be written in some format. */
export interface Entry {
  name: string;
  type: VariableType;
  value: JsonValue;
}

/** One variable as a file holds it. Where `type` is absent, the native type of the value decides. */
export interface ReadEntry {
  name: string;
  value: JsonValue;
  type?: VariableType;
}

/** @throws UsageError that lists every entry the format can't hold, and never a value */
export type Writer = (entries: readonly Entry[]) => string;

/** @throws UsageError that says what and where, and never quotes the text */
export type Reader = (text: string) => ReadEntry[];
