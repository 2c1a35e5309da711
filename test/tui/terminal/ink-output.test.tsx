import { readFileSync } from "node:fs";
import { Text } from "ink";
import { expect, onTestFinished, test, vi } from "vitest";
import measureText from "../../../src/tui/terminal/ink-measure.js";
import Output from "../../../src/tui/terminal/ink-output.js";
import { inkScreen } from "../support/tui.js";

const NONE = { transformers: [] };

function output(height: number): Output {
  return new Output({ width: 20, height });
}

test("pieces are joined at their columns", () => {
  const screen = output(2);
  screen.write(6, 0, "right", NONE);
  screen.write(0, 0, "left", NONE);
  screen.write(2, 1, "below", NONE);
  expect(screen.get()).toEqual({ output: "left  right\n  below", height: 2 });
});

test("colors have no width, and wide characters two columns", () => {
  const screen = output(1);
  screen.write(0, 0, "\x1b[31m界界\x1b[39m", NONE);
  screen.write(5, 0, "x", NONE);
  expect(screen.get().output).toBe("\x1b[31m界界\x1b[39m x");
});

test("each line of a text is transformed with its index", () => {
  const screen = output(3);
  screen.write(1, 0, " \n ", { transformers: [(_line, index) => `line ${index}`] });
  expect(screen.get().output).toBe(" line 0\n line 1\n");
});

test("text below the last row is dropped", () => {
  const screen = output(1);
  screen.write(0, 0, "a\nb", NONE);
  expect(screen.get().output).toBe("a");
});

test("text below a clipped box is dropped", () => {
  const screen = output(3);
  screen.clip({ y2: 1 });
  screen.write(0, 0, "a\nb", NONE);
  screen.unclip();
  screen.write(0, 2, "c", NONE);
  expect(screen.get().output).toBe("a\n\nc");
});

test("texts are measured without their colors", () => {
  expect(["", "\x1b[31m界\x1b[39mx", "a\nbc"].map(measureText)).toEqual([
    { width: 0, height: 0 },
    { width: 3, height: 1 },
    { width: 2, height: 2 },
  ]);
});

test("component tests and the bundle use these modules instead of ink's own", () => {
  const get = vi.spyOn(Output.prototype, "get");
  onTestFinished(() => get.mockRestore());
  expect(inkScreen(() => 20).draw(<Text>hello</Text>)).toBe("hello");
  expect(get).toHaveBeenCalled();
  const bundle = readFileSync(new URL("../../../dist/tui/draw.js", import.meta.url), "utf8");
  for (const own of ["ink-output.ts", "ink-measure.ts"]) expect(bundle).toContain(own);
  expect(bundle).not.toMatch(/ink\/build\/(?:output|measure-text)\.js/);
});
