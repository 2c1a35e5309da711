import { graphemes, graphemeWidth } from "./graphemes.js";
import type { Line } from "./line.js";

/** What stands for the signs of the TUI, each in one column. */
const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "-": "─━",
    "|": "│┃",
    "+": "╭╮╰╯┏┓┗┛",
    ">": "▶›▸→",
    "<": "◂‹←",
    "*": "✓•",
    o: "●",
    x: "✗",
    "^": "↑",
    v: "↓",
    $: "↵",
    ".": "·",
    "~": "…",
  }).flatMap(([ascii, signs]) => Array.from(signs, (sign) => [sign, ascii] as const)),
);

const ASCII = /^[\x20-\x7e]*$/;

/** A line for a terminal that shows ASCII alone, of the same width: other characters of names and values become `?`. */
export function asciiLine(line: Line): Line {
  return line.map((span) => (ASCII.test(span.text) ? span : { ...span, text: asciiText(span.text) }));
}

function asciiText(text: string): string {
  return Array.from(graphemes(text), ({ text: grapheme }) =>
    ASCII.test(grapheme) ? grapheme : (SIGNS.get(grapheme) ?? "?".repeat(graphemeWidth(grapheme))),
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
