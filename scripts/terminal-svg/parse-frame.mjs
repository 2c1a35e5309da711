/** Reads what `tmux capture-pane -e -p` prints: text and the escape sequences of its colours (SGR, ECMA-48 8.3.117). */
import stringWidth from "string-width";

/**
 * @typedef {string | number | undefined} Colour `#rrggbb`, an index into the 256 colours, or the terminal's own
 * @typedef {{ fg?: Colour, bg?: Colour, bold?: boolean, dim?: boolean, italic?: boolean, underline?: boolean,
 *   inverse?: boolean, hidden?: boolean, strike?: boolean }} Style
 * @typedef {{ text: string, column: number, width: number, style: Style }} Cell one grapheme; columns from 0
 */

const SGR = /\x1b\[([\d;:]*)m/y;
/** Other sequences: OSC up to its end, CSI, and those of one or two characters; and what else is no text. */
const IGNORED =
  /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[\x20-\x3f]*[\x40-\x7e]|\x1b[\x20-\x2f]*[\x30-\x7e]|[\x00-\x1f\x7f]/y;
const TEXT = /[^\x00-\x1f\x7f]+/y;

const ON = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  8: "hidden",
  9: "strike",
  21: "underline",
};
const OFF = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  28: ["hidden"],
  29: ["strike"],
  39: ["fg"],
  49: ["bg"],
};
const graphemes = new Intl.Segmenter();

/**
 * The cells of each line that hold something. Styles go on from line to line, as in the input.
 *
 * @param {string} frame
 * @returns {Cell[][]}
 */
export function parseFrame(frame) {
  let style = {};
  const onSgr = (parameters) => {
    style = restyled(style, parameters);
  };
  return frame
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => parseLine(line, () => style, onSgr));
}

function parseLine(line, currentStyle, onSgr) {
  const cells = [];
  let column = 0;
  const match = (pattern, at) => {
    pattern.lastIndex = at;
    return pattern.exec(line);
  };
  for (let at = 0; at < line.length; ) {
    const sgr = match(SGR, at);
    const text = sgr ? null : match(TEXT, at);
    if (sgr) onSgr(sgr[1]);
    for (const { segment } of text ? graphemes.segment(text[0]) : []) {
      const width = stringWidth(segment);
      cells.push({ text: segment, column, width, style: currentStyle() });
      column += width;
    }
    at += (sgr ?? text ?? match(IGNORED, at))?.[0].length ?? 1;
  }
  return cells;
}

/** The style that follows from one SGR sequence's parameters. */
function restyled(style, parameters) {
  const codes = parameters.split(";");
  let next = { ...style };
  while (codes.length > 0) {
    const [code, ...details] = codes.shift().split(":");
    const number = Number(code);
    if (number === 0) next = {};
    else if (number === 4 && details[0] === "0") next.underline = false;
    else if (ON[number]) next[ON[number]] = true;
    else if (OFF[number]) for (const name of OFF[number]) next[name] = undefined;
    else if (number === 38 || number === 48 || number === 58) {
      const colour = details.length > 0 ? extended(details.filter((part) => part !== "")) : extended(codes, true);
      if (number !== 58) next[number === 38 ? "fg" : "bg"] = colour;
    } else Object.assign(next, basic(number));
  }
  return next;
}

/** The 16 colours: 30-37 and 90-97 of the text, 40-47 and 100-107 behind it. */
function basic(number) {
  const hundreds = number >= 90 ? 8 : 0;
  const base = hundreds ? number - 60 : number;
  if (base >= 30 && base <= 37) return { fg: base - 30 + hundreds };
  if (base >= 40 && base <= 47) return { bg: base - 40 + hundreds };
  return {};
}

/** `5;n` or `2;r;g;b`; with `isTaken` what was read is taken out of the list. */
function extended(codes, isTaken = false) {
  const length = codes[0] === "5" ? 2 : 4;
  const [kind, ...values] = isTaken ? codes.splice(0, length) : codes;
  if (kind === "5") return Number(values[0]);
  const hex = values.slice(-3).map((value) => Number(value).toString(16).padStart(2, "0"));
  return `#${hex.join("")}`;
}
