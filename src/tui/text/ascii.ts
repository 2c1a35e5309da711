import { graphemes, graphemeWidth } from "./graphemes.js";
import type { Line } from "./line.js";

/** Signs of the TUI, in each text after the character that stands for them; all of one column. */
const SIGNS = ["-─━", "|│┃", "+╭╮╰╯┏┓┗┛", ">▶›▸→", "<◂‹←", "*✓•", "o●", "x✗", "^↑", "v↓", "$↵", ".·", "~…"];

const ASCII = /^[\x20-\x7e]*$/;

/** A line for a terminal that shows ASCII alone, of the same width: other characters of names and values become `?`. */
export function asciiLine(line: Line): Line {
  return line.map((span) => (ASCII.test(span.text) ? span : { ...span, text: asciiText(span.text) }));
}

function asciiText(text: string): string {
  return Array.from(graphemes(text), ({ text: grapheme }) =>
    ASCII.test(grapheme)
      ? grapheme
      : (SIGNS.find((signs) => signs.includes(grapheme))?.charAt(0) ?? "?".repeat(graphemeWidth(grapheme))),
  ).join("");
}

/**
 * Whether the locale names a character set other than UTF-8: `C`, `POSIX`, `en_US.ISO-8859-1`. As in other programs, a
 * locale without one, or none at all, is UTF-8.
 */
export function isAsciiLocale(env: NodeJS.ProcessEnv): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /^(?:C|POSIX)$|\.(?!utf-?8)/i.test(locale);
}
