import type { Reporter, TestModule } from "vitest/node";
import type {} from "./needed-program.js";

/** Prints one line for each program that tests were skipped for, and nothing if there is none. */
export class MissingPrograms implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    const missing = tests.flatMap((test) => test.meta().missing ?? []);
    for (const line of new Set(missing)) {
      const count = missing.filter((each) => each === line).length;
      process.stdout.write(`\n${count} tests skipped, since ${line}\n`);
    }
  }
}
