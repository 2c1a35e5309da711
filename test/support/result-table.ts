import type { Reporter, TestModule } from "vitest/node";
import type { Row } from "./report.js";

/**
 * Prints the reports of tests, whether or not they passed, as the tables of docs/reliability.md and
 * docs/scaling.md.
 */
export class ResultTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const rows = tests.flatMap((test) => test.meta().row ?? []);
    if (rows.length > 0) process.stdout.write(`\n${formatTable(rows)}`);
  }
}

function formatTable(rows: readonly Row[]): string {
  const lines = rows.map(({ test, done, result }) => `| ${test} | ${done} | ${result} |\n`);
  return `| Test | Method | Result |\n|---|---|---|\n${lines.sort().join("")}`;
}
