import { defineConfig } from "vitest/config";
import { TableReporter } from "./test/durability/table-reporter.js";
import { QUICK } from "./test/support/measuring.js";

/** Measurements of what the data file survives: minutes of two cores, so apart from `npm test`. */
export default defineConfig({
  test: {
    include: ["test/durability/**/*.durability.ts"],
    // Otherwise one at a time: each is made to keep the machine busy by itself.
    fileParallelism: QUICK,
    maxWorkers: "100%",
    testTimeout: 600_000,
    disableConsoleIntercept: true,
    reporters: ["default", new TableReporter()],
  },
});
