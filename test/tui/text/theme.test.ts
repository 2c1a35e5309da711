import { expect, it } from "vitest";
import { createTheme, type ThemeName } from "../../../src/tui/text/theme.js";

/** The relative luminance of an sRGB color, as WCAG 2.2 defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(color: string, background: string): number {
  const [dark = 0, light = 0] = [luminance(color), luminance(background)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

it("contrast is measured as in WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBe(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});

it.each<[ThemeName, string, number]>([
  ["auto", "#000000", 4.5],
  ["auto", "#ffffff", 4.5],
  ["auto", "#1e1e1e", 3],
  ["auto", "#fdf6e3", 3],
  ["dark", "#000000", 4.5],
  ["dark", "#282c34", 4.5],
  ["light", "#ffffff", 4.5],
  ["light", "#fdf6e3", 4.5],
])("the theme %s is legible on %s", (name, background, least) => {
  for (const [role, { color }] of Object.entries(createTheme(name))) {
    if (color !== undefined)
      expect(contrast(color, background), role).toBeGreaterThanOrEqual(least);
    else expect(role).toBe("text");
  }
});

const LEVELS = [0, 95, 135, 175, 215, 255];

/** The RGB values of an xterm color: a 6 x 6 x 6 cube from 16 on, and grays from 232 on. */
function hexOf(ansi256: number): string {
  const at = ansi256 - 16;
  const cube = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map(
    (index) => LEVELS[index] ?? 0,
  );
  const parts = ansi256 < 232 ? cube : Array(3).fill(8 + 10 * (ansi256 - 232));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

it.each<[ThemeName, string, number]>([
  ["auto", "#000000", 4],
  ["auto", "#ffffff", 4],
  ["dark", "#000000", 4.5],
  ["dark", "#282c34", 4.5],
  ["light", "#ffffff", 4.5],
  ["light", "#fdf6e3", 4.5],
])("with 256 colors the theme %s is legible on %s", (name, background, least) => {
  for (const [role, { ansi256 }] of Object.entries(createTheme(name))) {
    if (ansi256 === undefined) expect(role).toBe("text");
    else expect(contrast(hexOf(ansi256), background), role).toBeGreaterThanOrEqual(least);
  }
});

it("the plain theme marks matches without colors", () => {
  const theme = createTheme("plain");
  for (const style of Object.values(theme)) expect(style.color).toBeUndefined();
  expect(theme.match).toMatchObject({ bold: true, underline: true });
  expect(theme.danger).toMatchObject({ bold: true });
});

it.each<ThemeName>(["auto", "dark", "light"])(
  "the theme %s has colors instead of dimmed text",
  (name) => {
    for (const style of Object.values(createTheme(name))) expect(style.dimColor).toBeUndefined();
  },
);
