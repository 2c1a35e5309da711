import { TestRunner } from "vitest";

/** The counts of a test; undefined for outcomes that can't happen in it. */
export interface Row {
  /** The name of the row in the table. */
  readonly test: string;
  readonly tries: number;
  /** Acknowledged writes that were lost. */
  readonly lost?: number;
  /**
   * Files, or answers, that are not one whole version, and files that do not agree with their
   * history.
   */
  readonly torn?: number;
  /** Writes or reads that failed with an error. */
  readonly refused?: number;
}

declare module "vitest" {
  interface TaskMeta {
    rows?: Row[];
  }
}

/** Adds to the row of that name in the final table. Call it before assertions, which may throw. */
export function addRow(row: Row): void {
  const test = TestRunner.getCurrentTest();
  if (!test) throw new Error("called outside a test");
  test.meta.rows = [...(test.meta.rows ?? []), row];
}

/** Prints a measurement. */
export function figure(line: string): void {
  // biome-ignore lint/suspicious/noConsole: the output of a measurement
  console.log(line);
}

/** The seconds since `start`, which is of `performance.now()`, as `1.2 s`. */
export function since(start: number): string {
  return `${((performance.now() - start) / 1_000).toFixed(1)} s`;
}
