import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
// @ts-expect-error: scripts of the build have no types
import { replaceInkOutput } from "./scripts/replace-ink-output.mjs";
import { QUICK } from "./test/support/measuring.js";
import { MissingPrograms } from "./test/support/missing-programs.js";
import { ResultTable } from "./test/support/result-table.js";

/** Real terminals, other shells, signals, and tests that take long: `npm run test:e2e`. */
const E2E = "test/e2e/**/*.test.ts";

/** Property tests of `npm test` that run once more among the end-to-end tests, with all rounds. */
const MORE_ROUNDS = ["test/server/api/hidden-variables.test.ts", "test/store/merge-rounds.test.ts"];

/** What hostile clients, files and servers try, and long load: `npm run abuse`. */
const ABUSE = "test/abuse/**/*.test.ts";

/** Failures under a store in etcd, and servers behind a balancer: `npm run test:scaling`. */
const SCALING = "test/scaling/**/*.test.ts";

/** Those of them that load the machine, or measure how long an answer takes. */
const SCALING_LOAD = ["busy-writers", "large-data", "steady-writes", "writes"].map(
  (name) => `test/scaling/${name}.test.ts`,
);

/** Test files that mock modules or change the colors of a whole process. Each has its own, which costs 0.3 s. */
const ISOLATED = [
  "test/kit/process/windows-program.test.ts",
  "test/kit/files/append-file.test.ts",
  "test/kit/files/file-lock.test.ts",
  "test/server/api/credential-checks.test.ts",
  "test/server/api/signature-work.test.ts",
  "test/store/history-model.test.ts",
  "test/store/reload-failures.test.ts",
];

/** Lets `npm test` start no programs. */
const IN_PROCESS = "test/support/in-process.ts";

/**
 * Runs the sessions first, which take longer than any other file: at the end, the other workers would wait for them.
 * Without results of an earlier run, as on CI, Vitest begins with the largest files.
 */
class SessionsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification) =>
      moduleId.endsWith("/test/e2e/scripts.test.ts");
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}

export default defineConfig({
  plugins: [replaceInkOutput()],
  // React as it ships: its development build takes twice the time.
  oxc: { jsx: { development: false } },
  test: {
    env: { NODE_ENV: "production" },
    // Component tests render with the replacement that ships.
    server: { deps: { inline: ["ink"] } },
    // Spawned processes, sockets and tests of 150 rounds share the cores; none of them is about time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The default is 1 s, which a program can take to start on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Vitest leaves one core unused by default, and has no percentage above this.
    maxWorkers: "100%",
    experimental: { fsModuleCache: true },
    sequence: { sequencer: SessionsFirst },
    // The others print nothing unless tests have reported results, or some could not run.
    reporters: ["default", new ResultTable(), new MissingPrograms()],
    projects: [
      // Left out by `!`, since `exclude` would take the place of `--exclude` on the command line.
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.{ts,tsx}", ...[...ISOLATED, E2E, ABUSE, SCALING].map(not)],
          isolate: false,
          setupFiles: IN_PROCESS,
        },
      },
      { extends: true, test: { name: "isolated", include: ISOLATED, setupFiles: IN_PROCESS } },
      // Its tests wait for other programs half of the time.
      {
        extends: true,
        test: {
          name: "e2e",
          include: [E2E, ...MORE_ROUNDS],
          env: { THOROUGH: "1" },
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      measuring("abuse", [ABUSE], 2, QUICK),
      measuring("scaling", [SCALING, ...SCALING_LOAD.map(not)], 3, QUICK),
      measuring("scaling-load", SCALING_LOAD, 4),
    ],
  },
});

/** After all others, and one file at a time by default: some measure how long an answer takes. */
function measuring(
  name: string,
  include: string[],
  groupOrder: number,
  fileParallelism = false,
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: { name, include, fileParallelism, sequence: { groupOrder }, testTimeout: 900_000 },
  };
}

function not(pattern: string): string {
  return `!${pattern}`;
}
