import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isStartedByNpm } from "../../../src/kit/process/signals.js";

const { start: START } = JSON.parse(readFileSync("package.json", "utf8")).scripts;

it.each([
  [true, "npx", "'appvars'"],
  [true, "npx", '"appvars"'],
  [true, "npx", "appvars"],
  // A program or a script of the user's, which may start a server that outlives it.
  [false, "npx", "'concurrently'"],
  [false, "npx", "appvars serve & sleep 1"],
  [false, "dev", "appvars serve; sleep 1"],
  [false, "dev", "concurrently 'appvars serve'"],
  [false, "dev", "node serve.js appvars"],
  [true, "start", "appvars serve --port 0"],
  [true, "start", "node_modules/.bin/appvars run -- node server.js"],
  [true, "start of appvars itself", START],
  [false, undefined, undefined],
])("isStartedByNpm is %s for the event %s with the script %s", (expected, _event, script) => {
  const own = script?.includes(" run ") ? "run" : "serve";
  expect(isStartedByNpm({ npm_lifecycle_script: script }, [own])).toBe(expected);
});

it("a server that a program under run starts outlives the program, although it inherits the script of npm", () => {
  const env = { npm_lifecycle_script: "appvars run -- sh dev.sh" };
  expect(isStartedByNpm(env, ["serve"])).toBe(false);
});
