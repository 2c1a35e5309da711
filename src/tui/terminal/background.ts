import type { TuiTerminal } from "./screen.js";

/** Red, green and blue, each from 0 to 1. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** OSC 11. */
const QUESTION = "\x1b]11;?\x07";

/** A later answer is ignored: colors that change while a person reads would disturb. */
const ANSWER_MS = 500;

/**
 * Asks the terminal for the color of its background. Many terminals don't answer.
 *
 * @returns `answer`, to be called with an answer, and `answered`, which resolves to the first one, or to undefined when it
 *   is too late for one
 */
export function askBackground(terminal: Pick<TuiTerminal, "write">) {
  let answer: (color?: Rgb) => void = () => {};
  const answered = new Promise<Rgb | undefined>((resolve) => {
    answer = resolve;
  });
  const timer = setTimeout(() => answer(), ANSWER_MS).unref();
  terminal.write(QUESTION);
  answered.then(() => clearTimeout(timer));
  return { answer, answered };
}

/** Parses the answer: `rgb:ffff/ffff/ffff` of one to four hexadecimal digits each. Undefined for anything else. */
export function parseColor(answer: string): Rgb | undefined {
  const [, ...parts] =
    /^\x1b\]11;rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\x07|\x1b\\)$/i.exec(answer) ?? [];
  const [red, green, blue] = parts.map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1));
  return red === undefined || green === undefined || blue === undefined ? undefined : [red, green, blue];
}

type Shade = "dark" | "light";

/** Dark if white text is more legible on it than black text, by the formulas of WCAG 2. */
export function shadeOf(color: Rgb): Shade {
  const [red = 0, green = 0, blue = 0] = color.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179 ? "dark" : "light";
}

/** Colors that Vim takes for dark: black to cyan, and the gray that is called bright black. */
const DARK = [0, 1, 2, 3, 4, 5, 6, 8];

/** The background that some terminals name in COLORFGBG, as the number of its color at the end: `15;0`, `15;default;0`. */
export function backgroundFrom(colors: string | undefined): Shade | undefined {
  const background = /^\d\d?;(?:[a-z\d]+;)?(\d|1[0-5])$/.exec(colors ?? "")?.[1];
  if (background === undefined) return undefined;
  return DARK.includes(Number(background)) ? "dark" : "light";
}
