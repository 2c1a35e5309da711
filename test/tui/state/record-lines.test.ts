import { expect, it } from "vitest";
import { recordLines } from "../../../src/tui/state/record-lines.js";
import type { Revealed, State } from "../../../src/tui/state/state.js";
import { lineWidth } from "../../../src/tui/text/fit-line.js";
import type { Line } from "../../../src/tui/text/line.js";
import { ENTRIES, entry, NOW, readyState } from "../support/state.js";

const ALL: Revealed = { names: "all", decrypted: new Map(), until: NOW };

function texts(lines: readonly Line[]): string[] {
  return lines.map((line) => line.map((span) => span.text).join(""));
}

function tall(state: State): State {
  return { ...state, columns: 200, rows: 60 };
}

it("tells all that a record has, and masks what it holds", () => {
  const [first] = ENTRIES;
  const lines = texts(recordLines(tall(readyState()), 40));
  expect(lines.slice(0, 2)).toEqual(["Primary database", ""]);
  expect(lines).toContain(`variable id  ${first?.variable.id}`);
  expect(lines).toContain(`value id     ${first?.value?.id}`);
  expect(lines).toContain("encrypted    no");
  expect(lines.at(-1)).toBe("••••••••");
});

it("is shorter in a low panel, and tells the same", () => {
  const kinds = new Map([["DATABASE_URL", "changed"] as const]);
  const lines = texts(recordLines(readyState(ENTRIES, { marks: { kinds, until: NOW } }), 100));
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^STRING · id \d+ · value id \d+ · not encrypted · ~ changed$/);
});

it("has the name where it is too long for a title", () => {
  const entries = [entry("LONG_".repeat(10), "x")];
  for (const state of [readyState(entries)].flatMap((each) => [each, tall(each)])) {
    expect(texts(recordLines(state, 54))[0]).not.toContain("LONG");
    expect(texts(recordLines(state, 53))[0]).toBe("LONG_".repeat(10));
  }
});

it("does not hide the value behind a long description in a low panel", () => {
  const entries = [entry("A", "x", "STRING", "word ".repeat(30).trim())];
  expect(texts(recordLines(readyState(entries), 60))[1]).toBe("••••••••");
});

it("pretty-prints JSON and tells its parts apart", () => {
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

it("keeps newlines, escapes what else is no text, and wraps to the width", () => {
  const entries = [entry("A", "one\ntwo\u001b[0m\n日本語日本語")];
  const lines = texts(recordLines(readyState(entries, { revealed: ALL }), 8));
  expect(lines.slice(-5)).toEqual(["one", "two\\x1b[", "0m", "日本語日", "本語"]);
});

it("has no line wider than it may be", () => {
  const value = { key: "日本語 👨‍👩‍👧‍👦 ".repeat(20), "\u202e": "\u009b" };
  const entries = [entry("N".repeat(255), value, "JSON", "word ".repeat(50))];
  for (const state of [readyState(entries, { revealed: ALL })].flatMap((each) => [each, tall(each)])) {
    for (const line of recordLines(state, 36)) expect(lineWidth(line)).toBeLessThanOrEqual(36);
  }
});

it.each(["a".repeat(1_000_000), "日本 ".repeat(300_000)])("wraps a value of a megabyte once", (value) => {
  const state = readyState([entry("A", value)], { revealed: ALL });
  const first = recordLines(state, 50);
  const again = recordLines({ ...state, recordTop: 5 }, 50);
  expect(first.length).toBeGreaterThan(19_000);
  expect(again.at(-1)).toBe(first.at(-1));
  expect(recordLines(state, 40).length).toBeGreaterThan(first.length);
});

it("shows a JSON variable whose value was decrypted to something else as it is", () => {
  const entries = [entry("A", "envbee:enc:v1:x", "JSON")];
  const revealed = { ...ALL, decrypted: new Map([["envbee:enc:v1:x", "{not json"]]) };
  expect(texts(recordLines(readyState(entries, { revealed }), 40)).at(-1)).toBe("{not json");
});

it("tells what is wrong with the place in full, and does not hide the value behind it in a low panel", () => {
  const problem = `the data file is not valid JSON: ${"line 1, column 2; ".repeat(5)}the last good data is served`;
  const lines = texts(recordLines(tall(readyState(ENTRIES, { loaded: { problem } })), 40));
  expect(lines.slice(0, lines.indexOf("")).join(" ")).toBe(`! ${problem}`);
  const failure = { code: "unreachable", message: "connection refused" };
  const failed = texts(recordLines(readyState(ENTRIES, { loaded: { failure, nextAt: NOW + 5_000 } }), 60));
  expect(failed.indexOf("••••••••")).toBeLessThan(failed.indexOf("✗ connection refused"));
  expect(failed.slice(-3)).toEqual(["✗ connection refused", "", "trying again in 5 s; r tries now"]);
});

it("has nothing to tell of an empty list", () => {
  expect(recordLines(readyState(ENTRIES, { list: { rows: [] } }), 40)).toEqual([]);
});
