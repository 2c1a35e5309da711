import { expect, it } from "vitest";
import type { Command } from "../../../src/tui/state/command.js";
import { commandKey, openCommandLine } from "../../../src/tui/state/command-line.js";
import type { Key } from "../../../src/tui/state/message.js";
import { tell } from "../../../src/tui/state/notices.js";
import type { State } from "../../../src/tui/state/state.js";
import { type Step, step } from "../../../src/tui/state/step.js";
import { press, readyState, SECRET, type } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

function command(name: string, more: Partial<Command> = {}): Command {
  const run = (state: State, argument: string) => step(tell(state, `${name}(${argument})`));
  return { name, keys: [], label: undefined, help: "", group: "Other", run, ...more };
}

const COMMANDS = [
  command("open", { argument: "<name>" }),
  command("diff", { argument: "<name>" }),
  command("type", { argument: "<type>" }),
  command("sort", { argument: "<order>" }),
  command("quit", { keys: ["q", "escape"] }),
  command("reveal", { keys: ["v"] }),
  command("reveal-all", { keys: ["V"] }),
  command("refresh", { whyNot: () => "still reading" }),
];

function typed(...keys: readonly (Key | string)[]): Step {
  return keys.reduce<Step>((before, key) => {
    const pressed = typeof key === "string" ? type(key) : key;
    return commandKey(before[0], modeOf(before, "command"), pressed, COMMANDS);
  }, openCommandLine(readyState()));
}

const entered = (text: string) => typed(text, press("enter"));
const problemOf = (text: string) => modeOf(entered(text), "command").problem;
const completed = (text: string) => modeOf(typed(text, press("tab")), "command");

it.each([
  ["quit", "quit()"],
  ["  quit  ", "quit()"],
  ["open shop/test", "open(shop/test)"],
  ["open   two words ", "open(two words)"],
  ["open", "open()"],
  ["q", "quit()"],
  ["V", "reveal-all()"],
])("runs %o, back in the list", (text, notice) => {
  const [state] = entered(text);
  expect([state.mode.kind, state.notice?.text]).toEqual(["browse", notice]);
});

it.each([
  ["relaod", "there is no such command"],
  ["quti", "there is no such command (did you mean quit?)"],
  ["escape", "there is no such command"],
  ["refresh", "still reading"],
  ["reveal PORT", 'nothing can follow "reveal"'],
])("says why %o can't be, and keeps it to be mended", (text, problem) => {
  expect(problemOf(text)).toBe(problem);
  expect(modeOf(entered(text), "command").field.text).toBe(text);
  expect(entered(text)[1]).toEqual([]);
});

it("takes the problem away when something is typed", () => {
  expect(modeOf(typed("quti", press("enter"), press("backspace")), "command").problem).toBeUndefined();
});

it("says nothing of what was pasted by mistake", () => {
  expect(problemOf(SECRET)).not.toContain(SECRET);
  expect(problemOf(`reveal ${SECRET}`)).not.toContain(SECRET);
});

it("goes back with escape, and with nothing typed", () => {
  for (const done of [typed("quit", press("escape")), entered(""), entered("  ")]) {
    expect(done).toEqual(step(readyState()));
  }
});

it("edits what is typed", () => {
  expect(modeOf(typed("qut", press("left"), "i"), "command").field).toEqual({ text: "quit", cursor: 3 });
  expect(modeOf(typed("enter"), "command").field.text).toBe("enter");
});

it.each([
  ["q", "quit"],
  ["o", "open "],
  ["open", "open "],
  ["re", "re"],
  ["reve", "reveal"],
  ["x", "x"],
  ["open sho", "open shop/"],
  ["open SHOP/t", "open shop/test"],
  ["open shop/d", "open shop/development"],
  ["diff shop/d", "diff shop/d"],
  ["diff shop/p", "diff shop/production"],
  ["type n", "type number"],
  ["type A", "type all"],
  ["sort n", "sort name"],
  ["quit x", "quit x"],
])("completes %o to %o with tab", (text, full) => {
  expect(completed(text).field).toEqual({ text: full, cursor: full.length });
});

it.each([
  ["re", "reveal, reveal-all, refresh"],
  ["diff shop/", "shop/test, shop/production"],
  ["sort ", "id, name, type"],
  ["q", undefined],
])("says what %o could be where that is not certain", (text, choices) => {
  expect(completed(text)).toMatchObject({ choices, problem: undefined });
});

it("names no more than a few of many", () => {
  const places = Array.from({ length: 20 }, (_, index) => {
    return { name: `p${index}`, kind: "profile" as const, detail: "" };
  });
  const [state] = commandKey(readyState([], { places }), modeOf(typed("open p"), "command"), press("tab"), COMMANDS);
  expect(modeOf(state, "command").choices).toBe("p0, p1, p2, p3, p4, p5, p6, p7 and more");
});
