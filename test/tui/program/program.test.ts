import { expect, test } from "vitest";
import { createProgram } from "../../../src/tui/program/program.js";
import type { Effect } from "../../../src/tui/state/effects.js";
import { type Message, type Step, step } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import { loadingState, NOW } from "../support/state.js";

const count = (state: State, message: Message): Step =>
  message.type === "tick" ? step({ ...state, recordTop: state.recordTop + 1 }, { type: "quit" }) : step(state);

function testProgram() {
  const effects: Effect[] = [];
  const deferred: (() => void)[] = [];
  const program = createProgram(
    step(loadingState(), { type: "suspend" }),
    count,
    (effect) => void effects.push(effect),
    (callback) => void deferred.push(callback),
  );
  return { program, effects, deferred };
}

test("a message changes the state and performs its effects", () => {
  const { program, effects } = testProgram();
  program.dispatch({ type: "tick", now: NOW });
  expect(program.state.recordTop).toBe(1);
  expect(effects.map(({ type }) => type)).toEqual(["suspend", "quit"]);
});

test("listeners are called once for several messages in a row", () => {
  const { program, deferred } = testProgram();
  let told = 0;
  program.subscribe(() => told++);
  program.dispatch({ type: "tick", now: NOW });
  program.dispatch({ type: "tick", now: NOW });
  for (const callback of deferred.splice(0)) callback();
  expect(told).toBe(1);
  program.dispatch({ type: "tick", now: NOW });
  for (const callback of deferred.splice(0)) callback();
  expect(told).toBe(2);
});

test("listeners aren't called for a message without a change", () => {
  const { program, deferred } = testProgram();
  program.dispatch({ type: "resize", columns: 1, rows: 1 });
  expect(deferred).toEqual([]);
});

test("an unsubscribed listener isn't called", () => {
  const { program, deferred } = testProgram();
  let told = 0;
  program.subscribe(() => told++)();
  program.dispatch({ type: "tick", now: NOW });
  for (const callback of deferred) callback();
  expect(told).toBe(0);
});
