import { expect, it } from "vitest";
import { ALL_COMMANDS } from "../../../src/tui/commands/all-commands.js";
import { commandKey, openCommandLine } from "../../../src/tui/modes/command-line.js";
import type { Command } from "../../../src/tui/state/command.js";
import type { Key } from "../../../src/tui/state/key.js";
import { notify, type State, type Step, step } from "../../../src/tui/state/state.js";
import { press, readyState, SECRET, type } from "../support/state.js";
import { modeOf } from "../support/test-modes.js";

function command(name: string, more: Partial<Command> = {}): Command {
  const run = (state: State, argument: string) => step(notify(state, `${name}(${argument})`));
  return { name, keys: [], label: undefined, help: "", group: "Other", run, ...more };
}

/** The choices of the real command. */
function realChoices(name: string): Pick<Command, "choices"> {
  const { choices } = ALL_COMMANDS.find((each) => each.name === name) ?? {};
  return choices ? { choices } : {};
}

const COMMANDS = [
  command("open", { argument: "<name>", ...realChoices("open") }),
  command("diff", { argument: "<name>", ...realChoices("diff") }),
  command("type", { argument: "<type>", ...realChoices("type") }),
  command("sort", { argument: "<order>", ...realChoices("sort") }),
  command("quit", { keys: ["q", "escape"] }),
  command("reveal", { keys: ["v"] }),
  command("reveal-all", { keys: ["V"] }),
  command("refresh", { disabledReason: () => "still reading" }),
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
])("the command line runs %o and returns to the list", (text, notice) => {
  const [state] = entered(text);
  expect([state.mode.kind, state.notice?.text]).toEqual(["browse", notice]);
});

it.each([
  ["relaod", "unknown command"],
  ["quti", "unknown command (did you mean quit?)"],
  ["escape", "unknown command"],
  ["refresh", "still reading"],
  ["reveal PORT", '"reveal" accepts no argument'],
])("the command line says why %o can't run, and keeps it for editing", (text, problem) => {
  expect(problemOf(text)).toBe(problem);
  expect(modeOf(entered(text), "command").field.text).toBe(text);
  expect(entered(text)[1]).toEqual([]);
});

it("typing clears the problem of the command line", () => {
  expect(modeOf(typed("quti", press("enter"), press("backspace")), "command").problem).toBeUndefined();
});

it("the command line doesn't repeat text that was pasted by mistake", () => {
  expect(problemOf(SECRET)).not.toContain(SECRET);
  expect(problemOf(`reveal ${SECRET}`)).not.toContain(SECRET);
});

it("Escape and an empty line close the command line", () => {
  for (const done of [typed("quit", press("escape")), entered(""), entered("  ")]) {
    expect(done).toEqual(step(readyState()));
  }
});

it("the command line is edited like a text field", () => {
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
])("Tab completes %o to %o", (text, full) => {
  expect(completed(text).field).toEqual({ text: full, cursor: full.length });
});

it.each([
  ["re", "reveal, reveal-all, refresh"],
  ["diff shop/", "shop/test, shop/production"],
  ["sort ", "id, name, type"],
  ["q", undefined],
])("Tab lists the choices for %o", (text, choices) => {
  expect(completed(text).choices).toBe(choices);
  expect(completed(text).problem).toBeUndefined();
});

it("Tab lists at most eight choices", () => {
  const places = Array.from({ length: 20 }, (_, index) => {
    return { name: `p${index}`, group: "data.json", kind: "profile" as const, detail: "" };
  });
  const [state] = commandKey(readyState([], { places }), modeOf(typed("open p"), "command"), press("tab"), COMMANDS);
  expect(modeOf(state, "command").choices).toBe("p0, p1, p2, p3, p4, p5, p6, p7 and more");
});
