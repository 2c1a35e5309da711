import { expect, it } from "vitest";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { App, TextLines } from "../../../src/tui/program/app.js";
import { footerLines } from "../../../src/tui/program/footer.js";
import { headerLine } from "../../../src/tui/program/header.js";
import type { Mode } from "../../../src/tui/state/modes.js";
import type { State } from "../../../src/tui/state/state.js";
import { textField } from "../../../src/tui/widgets/text-field.js";
import { renderFrame } from "../support/render-frame.js";
import { ENTRIES, NOW, PLACES, readyState } from "../support/state.js";
import { COMMANDS } from "../support/test-commands.js";
import { COMPARISON, CONFIRMATION, DELETION, FORM, MATRIX } from "../support/test-modes.js";

function header(state: State): string {
  return renderFrame(<TextLines lines={[headerLine(state)]} />, state.columns);
}

function footer(state: State): string {
  return renderFrame(<TextLines lines={footerLines(state, COMMANDS)} />, state.columns);
}

const REVEALED = { names: "all", decrypted: new Map(), until: NOW + 27_000 } as const;
const RATE_LIMIT = { limit: 7_500, remaining: 7_498, reset: 60 };

it("the header shows the open place and its state", () => {
  const state = readyState(ENTRIES, {
    columns: 160,
    revealed: REVEALED,
    loaded: { asOf: NOW - 3_000, rateLimit: RATE_LIMIT },
  });
  expect(header(state)).toMatch(
    /^ appvars {2}shop\/development {2}environment {2}\/srv\/appvars.data.json +6 variables · values shown 27 s · limit 7,498\/7,500 · 3 s old$/,
  );
});

it("a narrow header keeps the most important parts", () => {
  const list = { type: "JSON", sort: "name", filter: "x", rows: [1, 2, 3] } as const;
  const state = readyState(ENTRIES, { columns: 60, revealed: REVEALED, list, loaded: { rateLimit: RATE_LIMIT } });
  expect(header(state)).toMatch(/^ shop\/development +3 of 6 · values shown 27 s/);
});

it.each([
  [{ isComplete: false, nextAt: undefined, total: 100_000, asOf: undefined }, "6 of 100,000 read"],
  [{ isComplete: false, asOf: undefined }, "not read"],
  [{ asOf: NOW - 150_000 }, "2 min old"],
  [{ asOf: undefined, problem: "it is gone" }, "age unknown"],
  [{ rateLimit: { limit: 100, remaining: 5, reset: 1 } }, "limit 5/100!"],
] as const)("the header reports %j", (loaded, text) => {
  expect(header(readyState(ENTRIES, { columns: 120, loaded }))).toContain(text);
});

it("the footer shows the keys that work, and always help and quit", () => {
  expect(footer(readyState(ENTRIES, { columns: 120 }))).toContain(" Tab panel  / filter  t type");
  expect(footer(readyState(ENTRIES, { columns: 120 }))).not.toContain("Enter open");
  for (const columns of [60, 80, 120])
    expect(footer(readyState(ENTRIES, { columns }))).toMatch(/ {2}\? help {2}q quit$/);
});

it("the header names the environment of a profile by its key", () => {
  const profile = { name: "work", group: "https://vars.example.com", detail: "https://vars.example.com" };
  const state = readyState(ENTRIES, {
    columns: 120,
    places: [{ ...profile, identity: "key shop-1", kind: "profile" }],
  });
  expect(header(state)).toMatch(/^ appvars {2}work {2}profile {2}key shop-1 {2}https:\/\/vars.example.com /);
  expect(header({ ...state, columns: 60 })).toMatch(/^ appvars {2}work {2}key shop-1 /);
});

it("the header of production is in a warning color", () => {
  const roleOf = (place: number) => headerLine(readyState(ENTRIES, { place })).find(({ isBold }) => isBold)?.role;
  expect([roleOf(0), roleOf(2)]).toEqual([undefined, "warning"]);
});

it("the footer offers only the commands that the focused panel allows now", () => {
  const keys = (state: State) => {
    const text = renderFrame(<TextLines lines={footerLines(state, ALL_COMMANDS)} />, 200);
    return text.trim().split("  ").join(", ");
  };
  const wide = { columns: 200 };
  expect(keys(readyState(ENTRIES, { ...wide, focus: "places" }))).toBe(
    "Enter open, / find, d diff, m matrix, r refresh, Tab panel, ? help, q quit",
  );
  expect(keys(readyState([], { ...wide, places: PLACES.slice(0, 1) }))).toBe(
    "a add, m matrix, r refresh, Tab panel, ? help, q quit",
  );
  expect(keys(readyState(ENTRIES, { ...wide, list: { cursor: 4 }, loaded: { isEditable: false } }))).toBe(
    "/ filter, t type, s sort, Space mark, d diff, m matrix, r refresh, Tab panel, ? help, q quit",
  );
});

it.each([
  ["success", "✓"],
  ["error", "✗"],
  ["info", "·"],
] as const)("a notice of the tone %s starts with %s", (tone, sign) => {
  expect(footer(readyState(ENTRIES, { notice: { text: "copied\u001b", tone, until: NOW } }))).toBe(
    ` ${sign} copied\\x1b`,
  );
});

it("a long notice has several lines, and covers the end of the panels", () => {
  const text = `wrote 5 variables to ${"some/folder/".repeat(8)}out.env; without the reserved NODE_OPTIONS, in production`;
  const state = readyState(ENTRIES, { columns: 60, rows: 15, notice: { text, tone: "success", until: NOW } });
  const lines = renderFrame(<App state={state} commands={ALL_COMMANDS} />, 60).split("\n");
  expect(lines).toHaveLength(15);
  expect(lines.slice(-4).join("").replaceAll(" ", "")).toBe(`✓${text.replaceAll(" ", "")}`);
});

it.each([FORM, { kind: "help", top: 0 }] as const)("the footer always shows how to leave the mode $kind", (mode) => {
  for (const columns of [60, 80]) expect(footer(readyState(ENTRIES, { columns, mode }))).toMatch(/ {2}Esc \w+$/);
});

it("the footer shows the input and its problem", () => {
  const filter = readyState(ENTRIES, {
    mode: { kind: "filter", field: textField("data"), before: "" },
    list: { rows: [0] },
  });
  expect(footer(filter)).toMatch(/^ \/data +1 of 6 {2}Enter keep {2}Esc cancel$/);
  const command = readyState(ENTRIES, {
    mode: { kind: "command", field: textField("fnd"), query: "fnd", problem: "there is no command fnd" },
  });
  expect(footer(command)).toMatch(/^ :fnd +✗ there is no command fnd$/);
  const problem = "there is no command fnd, and this says so at length";
  const long = { ...command, columns: 50, mode: { ...command.mode, problem } as Mode };
  expect(footer(long).split("\n")).toEqual([
    " ✗ there is no command fnd, and this says so at",
    "   length",
    expect.stringMatching(/^ :fnd +Enter run/),
  ]);
});

it("the footer shows the keys that answer a confirmation", () => {
  expect(footer(readyState(ENTRIES, { mode: CONFIRMATION }))).toBe(
    " Enter press  Tab next button  Ctrl-S confirm  v show values  Esc back",
  );
  const revealed = { ...CONFIRMATION, isRevealed: true };
  expect(footer(readyState(ENTRIES, { mode: revealed }))).toContain("v hide values");
  // There the name is typed.
  expect(footer(readyState(ENTRIES, { mode: { ...DELETION, place: 2 } }))).not.toContain("values");
});

it("the footer offers only the commands allowed in a comparison, a matrix and while an edit is written", () => {
  const shown = (mode: Mode) =>
    footer(readyState(ENTRIES, { columns: 200, mode }))
      .trim()
      .split("  ")
      .join(", ");
  const none = { ...COMPARISON, all: [], differences: [], cursor: 0 };
  expect(shown(none)).toBe("r refresh, Esc back");
  expect(shown({ ...none, phase: "loading" })).toBe("Esc back");
  // It has no value in the open place.
  expect(shown({ ...COMPARISON, cursor: 0 })).toBe(
    "Tab panel, v reveal, n next, < take from there, Y copy the other, / filter, r refresh, Esc back",
  );
  expect(shown({ ...MATRIX, filter: "xyz" })).toBe("t filter rows, / filter, V reveal all, r refresh, Esc back");
  const writing = { ...CONFIRMATION, of: undefined };
  expect(footer(readyState(ENTRIES, { mode: CONFIRMATION, writing }))).toMatch(/^ Ctrl-C quit *$/);
});
