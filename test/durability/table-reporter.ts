import type { Reporter, TestModule } from "vitest/node";
import { grouped } from "../support/measuring.js";
import type { Row } from "./figure.js";

const COLUMNS = ["tries", "lost", "torn", "refused"] as const;

/** Prints the counts of the tests as one table, whether or not they passed. */
export class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const rows = tests.flatMap((test) => test.meta().rows ?? []);
    process.stdout.write(
      `\n${formatTable([...new Set(rows.map(({ test }) => test))].map((test) => sumUp(test, rows)))}\n`,
    );
  }
}

/** All rows of that name as the cells of one; `-` for a count that none of them has. */
function sumUp(test: string, rows: readonly Row[]): string[] {
  const ofTest = rows.filter((row) => row.test === test);
  const counts = COLUMNS.map((column) => ofTest.flatMap((row) => row[column] ?? []));
  return [
    test,
    ...counts.map((each) =>
      each.length === 0 ? "-" : grouped(each.reduce((sum, count) => sum + count)),
    ),
  ];
}

function formatTable(rows: readonly string[][]): string {
  const all = [["test", ...COLUMNS], ...rows];
  const widths = ["test", ...COLUMNS].map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return all.map((row) => `${row.map(pad).join("  ")}\n`).join("");
}
