import { expect, it } from "vitest";
import { colorsFor } from "../../../src/cli/output/colors.js";
import type { Output } from "../../../src/cli/output/io.js";

const terminal = { isTTY: true, getColorDepth: () => 24 } as unknown as Output;
const pipe = {} as Output;

it.each([
  ["a terminal", terminal, {}, true, true],
  ["a pipe", pipe, {}, true, false],
  ["NO_COLOR on a terminal", terminal, { NO_COLOR: "1" }, true, false],
  ["an empty NO_COLOR", terminal, { NO_COLOR: "" }, true, true],
  ["FORCE_COLOR on a pipe", pipe, { FORCE_COLOR: "1" }, true, true],
  ["FORCE_COLOR=0 on a terminal", terminal, { FORCE_COLOR: "0" }, true, false],
  ["FORCE_COLOR over NO_COLOR", pipe, { FORCE_COLOR: "3", NO_COLOR: "1" }, true, true],
  ["--no-color over FORCE_COLOR", terminal, { FORCE_COLOR: "3" }, false, false],
  ["a terminal without colors", { ...terminal, getColorDepth: () => 1 } as unknown as Output, {}, true, false],
])("decides for %s", async (_what, stream, env, allowed, colored) => {
  const { red } = await colorsFor(stream, env, allowed);
  expect(red("x") !== "x").toBe(colored);
});
