import { expect, it } from "vitest";
import { recordLines } from "../../../src/tui/screens/record.js";
import type { Revealed, State } from "../../../src/tui/state/state.js";
import { type Line, lineWidth } from "../../../src/tui/text/line.js";
import { ENTRIES, entry, NOW, readyState, SECRET } from "../support/state.js";

const ALL: Revealed = { names: "all", decrypted: new Map(), until: NOW };

function texts(lines: readonly Line[]): string[] {
  return lines.map((line) => line.map((span) => span.text).join(""));
}

function tall(state: State): State {
  return { ...state, columns: 200, rows: 60 };
}

it("the record shows all facts and masks the value", () => {
  const [first] = ENTRIES;
  const lines = texts(recordLines(tall(readyState()), 40));
  expect(lines.slice(0, 2)).toEqual(["Primary database", ""]);
  expect(lines).toContain(`variable id  ${first?.variable.id}`);
  expect(lines).toContain(`value id     ${first?.value?.id}`);
  expect(lines).toContain("encrypted    no");
  expect(lines.at(-1)).toBe("••••••••");
});

it("the record shows the same facts in a short panel", () => {
  const kinds = new Map([["DATABASE_URL", "changed"] as const]);
  const lines = texts(recordLines(readyState(ENTRIES, { recentChanges: { kinds, until: NOW } }), 100));
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^STRING · id \d+ · value id \d+ · not encrypted · ~ changed$/);
});

it("the record shows the variable in other places, always masked", () => {
  const values = new Map([
    [1, SECRET],
    [2, undefined],
  ]);
  const state = tall(readyState(ENTRIES, { elsewhere: { name: "DATABASE_URL", values } }));
  const found = (from: State) => texts(recordLines(from, 60)).slice(-2);
  expect(found(state)).toEqual(["  test        = same       ••••••••", "  production  - missing    "]);
  expect(found({ ...state, revealed: ALL })).toEqual(found(state));
  expect(texts(recordLines({ ...state, list: { ...state.list, cursor: 1 } }, 60)).join()).not.toContain("production");
});

it("the record says that other places differ where the open one has no value", () => {
  const values = new Map([
    [1, true],
    [2, false],
  ]);
  const unset = ENTRIES.findIndex(({ variable }) => variable.name === "UNSET");
  const state = tall(readyState(ENTRIES, { elsewhere: { name: "UNSET", values }, list: { cursor: unset } }));
  const found = texts(recordLines(state, 60)).slice(-2);
  expect(found).toEqual(["  test        ~ differs    ••••••••", "  production  ~ differs    ••••••••"]);
});

it("the record warns of a reserved name", () => {
  const state = readyState([entry("PROMPT_COMMAND", "x")]);
  expect(recordLines(tall(state), 60)).toContainEqual([
    { text: "name         ", role: "muted" },
    { text: "reserved: run and export leave it out", role: "warning" },
  ]);
  expect(texts(recordLines(state, 120))[0]).toContain("reserved: run and export leave it out");
  expect(texts(recordLines(tall(readyState()), 60)).join()).not.toContain("reserved");
});

it("the record repeats a name that is too long for the title", () => {
  const entries = [entry("LONG_".repeat(10), "x")];
  for (const state of [readyState(entries)].flatMap((each) => [each, tall(each)])) {
    expect(texts(recordLines(state, 54))[0]).not.toContain("LONG");
    expect(texts(recordLines(state, 53))[0]).toBe("LONG_".repeat(10));
  }
});

it("a long description doesn't hide the value in a short panel", () => {
  const entries = [entry("A", "x", "STRING", "word ".repeat(30).trim())];
  expect(texts(recordLines(readyState(entries), 60))[1]).toBe("••••••••");
});

it("the record pretty-prints JSON with roles for its tokens", () => {
  const value = { checkout_v2: true, themes: ["light", "dark"], retries: 3, owner: null };
  const entries = [entry("FLAGS", value, "JSON")];
  const lines = recordLines(readyState(entries, { revealed: ALL }), 40);
  const from = texts(lines).indexOf("{");
  expect(texts(lines).slice(from)).toEqual([
    ...["{", '  "checkout_v2": true,', '  "themes": [', '    "light",', '    "dark"', "  ],"],
    ...['  "retries": 3,', '  "owner": null', "}"],
  ]);
  const roles = lines.slice(from).flatMap((line) => line.filter((span) => span.role !== "text"));
  expect(roles).toContainEqual({ text: '"checkout_v2"', role: "json" });
  expect(roles).toContainEqual({ text: "true", role: "boolean" });
  expect(roles).toContainEqual({ text: '"light"', role: "string" });
  expect(roles).toContainEqual({ text: "3", role: "number" });
});

it("the record keeps newlines, escapes control characters and wraps", () => {
  const entries = [entry("A", "one\ntwo\u001b[0m\n日本語日本語")];
  const lines = texts(recordLines(readyState(entries, { revealed: ALL }), 8));
  expect(lines.slice(-5)).toEqual(["one", "two\\x1b[", "0m", "日本語日", "本語"]);
});

it("the record has no line that is too wide", () => {
  const value = { key: "日本語 👨‍👩‍👧‍👦 ".repeat(20), "\u202e": "\u009b" };
  const entries = [entry("N".repeat(255), value, "JSON", "word ".repeat(50))];
  for (const state of [readyState(entries, { revealed: ALL })].flatMap((each) => [each, tall(each)])) {
    for (const line of recordLines(state, 36)) expect(lineWidth(line)).toBeLessThanOrEqual(36);
  }
});

it.each(["a".repeat(1_000_000), "日本 ".repeat(300_000)])("a value of a megabyte is wrapped once", (value) => {
  const state = readyState([entry("A", value)], { revealed: ALL });
  const first = recordLines(state, 50);
  const again = recordLines({ ...state, recordTop: 5 }, 50);
  expect(first.length).toBeGreaterThan(19_000);
  expect(again.at(-1)).toBe(first.at(-1));
  expect(recordLines(state, 40).length).toBeGreaterThan(first.length);
});

it("a decrypted JSON value that isn't JSON is shown as it is", () => {
  const entries = [entry("A", "envbee:enc:v1:x", "JSON")];
  const revealed = { ...ALL, decrypted: new Map([["envbee:enc:v1:x", "{not json"]]) };
  expect(texts(recordLines(readyState(entries, { revealed }), 40)).at(-1)).toBe("{not json");
});

it("the record shows a problem in full without hiding the value", () => {
  const problem = `the data file is not valid JSON: ${"line 1, column 2; ".repeat(5)}the last good data is served`;
  const lines = texts(recordLines(tall(readyState(ENTRIES, { loaded: { problem } })), 40));
  expect(lines.slice(0, lines.indexOf("")).join(" ")).toBe(`! ${problem}`);
  const failure = { code: "unreachable", message: "connection refused" };
  const failed = texts(recordLines(readyState(ENTRIES, { loaded: { failure, nextAt: NOW + 5_000 } }), 60));
  expect(failed.indexOf("••••••••")).toBeLessThan(failed.indexOf("✗ connection refused"));
  expect(failed.slice(-3)).toEqual(["✗ connection refused", "", "trying again in 5 s; r tries now"]);
});

it("the record of an empty list is empty", () => {
  expect(recordLines(readyState(ENTRIES, { list: { rows: [] } }), 40)).toEqual([]);
});
