import { expect, it } from "vitest";
import { diffLines, type Side } from "../../../src/tui/text/diff-lines.js";
import { type Line, lineWidth } from "../../../src/tui/text/line.js";

const side = (texts: readonly string[]): Side => ({ texts, isPlaceholder: false });

/** All lines of a diff, with `[` and `]` around inverse text. */
function drawn(before: readonly string[], after: readonly string[], width = 40): string[] {
  return allLines(side(before), side(after), width).map(textOf);
}

function allLines(before: Side, after: Side, width: number): Line[] {
  return [...diffLines(before, after, width).lines];
}

function textOf(line: Line): string {
  return line.map(({ text, isInverse }) => (isInverse ? `[${text}]` : text)).join("");
}

const numbered = (count: number, text = "line") =>
  Array.from({ length: count }, (_, index) => `${text} ${index}`);

it("lines are compared by their longest common subsequence", () => {
  expect(drawn(["a", "b", "c", "d"], ["a", "x", "c", "new", "d", "end"])).toEqual([
    "  a",
    "- b",
    "+ x",
    "  c",
    "+ new",
    "  d",
    "+ end",
  ]);
});

it("changed words are inverse, unless most of the line has changed", () => {
  expect(drawn(["the port is 3000 here"], ["the port is 8080 here "])).toEqual([
    "- the port is [3000] here",
    "+ the port is [8080] here[·]",
  ]);
  expect(drawn(["debug"], ["info"])).toEqual(["- debug", "+ info"]);
});

it("long runs of equal lines are folded, except for some lines around changes", () => {
  const before = numbered(30);
  const after = before.map((text, index) => (index === 10 ? "other" : text));
  expect(drawn(before, after)).toEqual([
    "  … 7 equal lines …",
    ...[
      "  line 7",
      "  line 8",
      "  line 9",
      "- line 10",
      "+ other",
      "  line 11",
      "  line 12",
      "  line 13",
    ],
    "  … 16 equal lines …",
  ]);
});

it("texts with too many changes are shown one after another, and the diff says so", () => {
  const middle = numbered(2_000);
  const lines = drawn(["first", ...middle], ["first", ...middle.toReversed()], 80);
  expect(lines.slice(0, 2)).toEqual(["  (too many changes: lines were not compared)", "- first"]);
  expect(lines.filter((line) => line.startsWith("- "))).toHaveLength(2_001);
});

it("placeholders are never equal", () => {
  const masked: Side = { texts: ["••••"], isPlaceholder: true };
  expect(allLines(masked, masked, 20).map(textOf)).toEqual(["- ••••", "+ ••••"]);
});

it.each([
  "a".repeat(500),
  "漢字".repeat(200),
  "👩‍👩‍👧e\u0301".repeat(60),
  `\u202e${"\u0301".repeat(9)}`.repeat(20),
  "\t\x1b[31m".repeat(40),
])("no character of a long line is lost, and no line is too wide", (text) => {
  const lines = allLines(side([]), side([text]), 23);
  expect(lines.every((line) => lineWidth(line) <= 23)).toBe(true);
  const [whole] = allLines(side([]), side([text]), 100_000).map(textOf);
  expect(lines.map((line) => textOf(line).slice(2)).join("")).toBe(whole?.slice(2));
  expect(lines.map(textOf).join("")).not.toMatch(/\x1b/);
});

it("only the first part of two texts of a megabyte is drawn, and the diff says so", () => {
  const lines = drawn(numbered(50_000, "before"), numbered(50_000, "漢字"), 80);
  expect(lines.at(-1)).toBe("  (only the first 50,000 characters are shown)");
  expect(lines.length).toBeLessThan(10_000);
});

it("a long line is cut to its differences", () => {
  const [head, tail] = ["a".repeat(20_000), "z".repeat(20_000)];
  const lines = drawn([`${head} old ${tail}`], [`${head} new ${tail}`], 600);
  expect(lines.map((each) => each.replaceAll(/a{2,}/g, "a").replaceAll(/z{2,}/g, "z"))).toEqual([
    "- …a [old] z…",
    "+ …a [new] z…",
  ]);
});
