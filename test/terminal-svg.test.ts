import { expect, it } from "vitest";
// @ts-expect-error: scripts of the build have no types
import { terminalSvg } from "../scripts/terminal-svg.mjs";

const TEXT = "#e6edf3";
const BACKGROUND = "#0d1117";
const picture = (frame: string, title = ""): string => terminalSvg(frame, { title, columns: 20 });

it.each([
  [
    "\x1b[38;2;1;2;255mx\x1b[39my",
    ['<tspan x="12" fill="#0102ff">x<', `<tspan x="21" fill="${TEXT}">y<`],
  ],
  ["\x1b[38;2;1;2;255;1mx", ['fill="#0102ff" font-weight="bold">x<']],
  [
    "\x1b[2mx\x1b[22my\x1b[1mz\x1b[0m.",
    ['opacity="0.6">x<', `fill="${TEXT}">y<`, 'bold">z<', `fill="${TEXT}">.<`],
  ],
  ["\x1b[38;2;1;2;255m\nx", ['fill="#0102ff">x<']],
  ["\x1b[4ma b", [`d="M12 60.5h27" stroke="${TEXT}"`]],
  [
    "\x1b[7ma b",
    [`<rect x="12" y="44" width="27" height="19" fill="${TEXT}"/>`, `fill="${BACKGROUND}">a<`],
  ],
])("the picture of a terminal has the styles of %j", (frame, expected) => {
  for (const part of expected) expect(picture(frame)).toContain(part);
});

it("the picture of a terminal keeps the columns after wide characters", () => {
  const svg = picture("漢x👋é|");
  expect(svg).toContain(
    `<tspan x="12" fill="${TEXT}">漢</tspan><tspan x="30" fill="${TEXT}">x</tspan>`,
  );
  expect(svg).toContain(
    `<tspan x="39" fill="${TEXT}">👋</tspan><tspan x="57 66" fill="${TEXT}">é|</tspan>`,
  );
});

it("the picture of a terminal escapes text and title", () => {
  const svg = picture('<a href="x">', "<&>");
  expect(svg).toContain(">&#60;a</tspan>");
  expect(svg).toContain("<title>&#60;&#38;&#62;</title>");
});

it("the picture of a terminal draws borders as shapes that meet", () => {
  expect(picture("┏━")).toContain(
    '<path d="M21 53.5L16.5 53.5L16.5 63M30 53.5L21 53.5" stroke-width="3"',
  );
});
