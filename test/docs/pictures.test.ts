import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
// @ts-expect-error: benchmarks have no types
import { barChart, growthChart } from "../bench/shared/charts.mjs";
// @ts-expect-error: benchmarks have no types
import { picturesOf } from "../bench/shared/pictures.mjs";
import { REPOSITORY } from "./documents.js";

const DOCUMENT = read("performance.md");
const PICTURES: [string, string][] = Object.entries(picturesOf(DOCUMENT));
const HOSTILE = '<a href="x">&';

it.each(PICTURES)(
  "docs/%s has the figures of docs/performance.md: node test/bench/pictures.mjs",
  (name, svg) => {
    expect(DOCUMENT).toContain(`](${name})`);
    expect(read(name)).toBe(svg);
  },
);

it.each([
  ...PICTURES,
  ["of hostile bars", barChart({ title: HOSTILE, note: HOSTILE, bars: [bar(HOSTILE, 1)] })],
  ["of hostile lines", growthChart(growth([HOSTILE, 30, 300]))],
])("the picture %s is well-formed and has a place for everything", (_, svg) => {
  expect(openElements(svg)).toEqual([]);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
});

it("labels are escaped", () => {
  const svg = barChart({ title: "CPU", note: "", bars: [bar(HOSTILE, 1)] });
  expect(svg).toContain(">&#60;a href=&#34;x&#34;&#62;&#38;</text>");
});

it("bars are as long as their values, the shortest first", () => {
  const svg = barChart({ title: "CPU", note: "", bars: [bar("long", 1_000), bar("short", 250)] });
  expect(
    [...svg.matchAll(/<rect class="other" .* width="(\d+)"/g)].map(([, width]) => width),
  ).toEqual(["94", "376"]);
  expect([...svg.matchAll(/class="name".*>(.*)</g)].map(([, text]) => text)).toEqual([
    ...["short", "250.0"],
    ...["long", "1,000.0"],
  ]);
});

it("lines that end together have labels apart", () => {
  const svg = growthChart(growth(["one", 30, 300], ["two", 30, 300], ["three", 30, 300]));
  const places = [...svg.matchAll(/class="name" .* y="([\d.]+)"/g)].map(([, y]) => Number(y));
  expect(places).toHaveLength(3);
  for (const [index, y] of places.slice(1).entries())
    expect(y - Number(places[index])).toBeCloseTo(21, 0);
});

it.each([
  ["a row is missing", DOCUMENT.replaceAll("| Fastify,", "| Koa,"), 'no row "Fastify, '],
  ["a figure is missing", DOCUMENT.replace(/(\| `get` \|) \S+/, "$1 none"), 'not a figure: "none"'],
  ["a table is missing", DOCUMENT.replace("## Growth", "## Other"), 'no table below "Growth"'],
])("nothing is drawn if %s", (_, document, message) => {
  expect(() => picturesOf(document)).toThrow(message);
});

function read(name: string): string {
  return readFileSync(join(REPOSITORY, "docs", name), "utf8");
}

function bar(name: string, value: number) {
  return { name, detail: "", value, isOwn: false };
}

function growth(...lines: [string, ...number[]][]) {
  return {
    ...{ title: "Growth", note: "", unit: "ms", positions: [1_000, 10_000] },
    lines: lines.map(([name, ...values]) => ({ name, values, isOwn: false })),
  };
}

/** Returns the elements that are not closed, which is none for well-formed XML. */
function openElements(svg: string): string[] {
  const open: string[] = [];
  const parts = [...svg.matchAll(/<(\/?)(\w+)(?: [\w-]+="[^"<&]*")*(\/?)>|[^<>&]+|&#\d+;/g)];
  expect(parts.map(([text]) => text).join("")).toBe(svg);
  for (const [, end, name = "", empty] of parts) {
    if (end) expect(open.pop()).toBe(name);
    else if (name && !empty) open.push(name);
  }
  return open;
}
