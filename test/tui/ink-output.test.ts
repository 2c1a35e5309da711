import { expect, test } from "vitest";
import Output from "../../src/tui/ink/output.js";

const NONE = { transformers: [] };

function output(height: number): Output {
  return new Output({ width: 20, height });
}

test("pieces stand where they belong, with spaces between, in whatever order they come", () => {
  const screen = output(2);
  screen.write(6, 0, "right", NONE);
  screen.write(0, 0, "left", NONE);
  screen.write(2, 1, "below", NONE);
  expect(screen.get()).toEqual({ output: "left  right\n  below", height: 2 });
});

test("colours and wide characters take the columns that a terminal gives them", () => {
  const screen = output(1);
  screen.write(0, 0, "\x1b[31m界界\x1b[39m", NONE);
  screen.write(5, 0, "x", NONE);
  expect(screen.get().output).toBe("\x1b[31m界界\x1b[39m x");
});

test("each line of a text is transformed with its number", () => {
  const screen = output(3);
  screen.write(1, 0, " \n ", { transformers: [(_line, index) => `line ${index}`] });
  expect(screen.get().output).toBe(" line 0\n line 1\n");
});

test("what is below the last row is not there", () => {
  const screen = output(1);
  screen.write(0, 0, "a\nb", NONE);
  expect(screen.get().output).toBe("a");
});

test("clipping, which nothing here needs, is not passed over in silence", () => {
  expect(() => output(1).clip()).toThrow("nothing is clipped");
});
