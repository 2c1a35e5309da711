import { expect, it } from "vitest";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { candidatesOf } from "../../../src/tui/screens/candidates.js";
import { commandKey, openCommandLine } from "../../../src/tui/screens/command-line.js";
import type { Command } from "../../../src/tui/state/command.js";
import { type Step, step } from "../../../src/tui/state/messages.js";
import { notify, type State } from "../../../src/tui/state/state.js";
import type { Key } from "../../../src/tui/widgets/key.js";
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
  command("filter", { argument: "<text>", accepts: "text", choices: () => ["PORT", "HOST"] }),
  command("env add", { argument: "<name>" }),
];

function typed(...keys: readonly (Key | string)[]): Step {
  return typedIn(readyState(), COMMANDS, ...keys);
}

function typedIn(state: State, commands: readonly Command[], ...keys: readonly (Key | string)[]): Step {
  return keys.reduce<Step>((before, key) => {
    const pressed = typeof key === "string" ? type(key) : key;
    return commandKey(before[0], modeOf(before, "command"), pressed, commands);
  }, openCommandLine(state));
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
  ["reveal PORT", '"reveal" takes no argument'],
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
  ["o", "open "],
  ["open", "open "],
  ["V", "reveal-all"],
  ["rvl", "reveal"],
  ["x", "x"],
  ["open SHOP/t", "open shop/test"],
  ["open spd", "open shop/development"],
  ["diff shop/x", "diff shop/x"],
  ["diff prod", "diff shop/production"],
  ["type n", "type number"],
  ["type A", "type all"],
  ["quit x", "quit x"],
  ["env a", "env add "],
])("Tab completes %o to %o", (text, full) => {
  expect(completed(text).field).toEqual({ text: full, cursor: full.length });
});

it("Tab goes through all that fits, and Shift-Tab back", () => {
  const [tab, back] = [press("tab"), press("shift-tab")];
  const text = (...keys: readonly Key[]) => modeOf(typed("re", ...keys), "command").field.text;
  expect([text(tab), text(tab, tab), text(tab, tab, tab), text(tab, tab, tab, tab)]).toEqual([
    "reveal",
    "reveal-all",
    "refresh",
    "reveal",
  ]);
  expect([text(back), text(tab, tab, back)]).toEqual(["refresh", "reveal"]);
});

it.each([
  ["reveal-al", [], "reveal-all()"],
  ["re", [], "reveal()"],
  ["re", ["down"], "reveal-all()"],
  ["re", ["up"], "refresh()"],
  ["re", ["tab", "down"], "reveal-all()"],
  ["open shop/t", [], "open(shop/test)"],
  ["open ", [], "open()"],
  ["open ", ["down", "down"], "open(shop/test)"],
  ["filter prt", [], "filter(prt)"],
  ["filter prt", ["down"], "filter(PORT)"],
  ["filter zzz", [], "filter(zzz)"],
  ["env add shop/new", [], "env add(shop/new)"],
])("Enter after %o and %j runs %s: the highlighted command, or else the typed one", (text, keys, notice) => {
  const commands = COMMANDS.filter(({ name }) => name !== "refresh");
  const all = [...commands, command("refresh")];
  const [state] = typedIn(readyState(), all, text, ...keys.map(press), press("enter"));
  expect(state.notice?.text).toBe(notice);
});

it("the candidates are all commands at first, then those that fit, then arguments with their descriptions", () => {
  const fitting = (text: string) => candidatesOf(readyState(), modeOf(typed(text), "command"), COMMANDS);
  expect(fitting("").fitting).toHaveLength(COMMANDS.length);
  expect(fitting("").selected).toBeUndefined();
  expect(fitting("re").fitting.map(({ label }) => label)).toEqual(["reveal", "reveal-all", "refresh"]);
  expect(fitting("n").fitting.map(({ label }) => label)).toEqual(["open <name>", "env add <name>"]);
  expect(fitting("open t").fitting[0]).toMatchObject({ text: "shop/test", help: "/srv/appvars.data.json" });
});

it("of commands with the typed letters in this order, the one that has them closest runs", () => {
  const commands = [command("previous-panel"), command("open")];
  expect(typedIn(readyState(), commands, ..."opn", press("enter"))[0].notice?.text).toBe("open()");
});
