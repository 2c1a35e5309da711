import { TestRunner } from "vitest";
import { grouped } from "./measuring.js";

/** A row of the table that `npm run abuse` and `npm run test:scaling` print. */
export interface Row {
  readonly test: string;
  readonly done: string;
  readonly result: string;
}

declare module "vitest" {
  interface TaskMeta {
    row?: Row;
  }
}

/** Sets this test's row in the final table. Call it before assertions, which may throw. */
export function report(test: string, done: string, result: string): void {
  const task = TestRunner.getCurrentTest();
  if (!task) throw new Error("called outside a test");
  task.meta.row = { test, done, result };
}

/** `"a"` twice and `"b"` once -> `a 2, b 1` */
export function counts(texts: Iterable<string | number>): string {
  const found = new Map<string, number>();
  for (const text of texts) found.set(String(text), (found.get(String(text)) ?? 0) + 1);
  return [...found.entries()]
    .sort()
    .map(([text, count]) => `${text} ${grouped(count)}`)
    .join(", ");
}

/** @param share 0.5 for the median, 0.99 for the 99th percentile */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
