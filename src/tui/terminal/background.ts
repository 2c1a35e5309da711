type Shade = "dark" | "light";

/** Asks for the color of the background (OSC 11). Many terminals don't answer. */
export const BACKGROUND_QUESTION = "\x1b]11;?\x07";

/** The shade of the color in an answer: `11;rgb:ffff/ffff/ffff`, of one to four digits each. Undefined for anything else. */
export function shadeOf(answer = ""): Shade | undefined {
  const [, ...parts] = /^11;rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})$/i.exec(answer) ?? [];
  if (parts.length === 0) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 ? "dark" : "light";
}
