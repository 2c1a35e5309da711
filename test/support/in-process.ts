import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

// Setup of `npm test`: a test that starts a program fails.
for (const name of [
  "exec",
  "execFile",
  "execFileSync",
  "execSync",
  "fork",
  "spawn",
  "spawnSync",
] as const) {
  Object.assign(childProcess, {
    [name]: (program: unknown) => {
      throw new Error(
        `npm test starts no programs (${name} of ${String(program)}): move the test to test/e2e`,
      );
    },
  });
}
syncBuiltinESMExports();
