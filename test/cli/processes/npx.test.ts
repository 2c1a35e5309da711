import { expect, it } from "vitest";
import { isStartedByNpx } from "../../../src/cli/processes/npx.js";

it.each([
  [true, "npx", "'appvars'"],
  [true, "npx", '"appvars"'],
  [true, "npx", "appvars"],
  // A program or a script of the user's, which may start a server that outlives it.
  [false, "npx", "'concurrently'"],
  [false, "npx", "appvars serve & sleep 1"],
  [false, "dev", "appvars"],
  [false, undefined, undefined],
])("isStartedByNpx is %s for the event %s with the script %s", (expected, event, script) => {
  expect(isStartedByNpx({ npm_lifecycle_event: event, npm_lifecycle_script: script })).toBe(expected);
});
