import { expect, it } from "vitest";
import { shownValue } from "../../../src/tui/reading/shown.js";
import { entry, readyState } from "../support/state.js";

it("the value of a public variable is shown, that of any other is masked", () => {
  const [secret, open] = [entry("TOKEN", "hunter2"), { ...entry("LEVEL", "info"), rules: { secret: false } }];
  const state = readyState([secret, open]);
  expect(shownValue(secret, state)).toEqual({ kind: "masked" });
  expect(shownValue({ ...secret, rules: {} }, state)).toEqual({ kind: "masked" });
  expect(shownValue(open, state)).toEqual({ kind: "shown", text: "info" });
});
