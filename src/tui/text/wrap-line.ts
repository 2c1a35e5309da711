import { graphemes } from "./graphemes.js";
import type { Line, Span } from "./line.js";
import { graphemeWidth, isNarrow } from "./text-width.js";

/** Visible text in lines of at most `width` columns, broken wherever a line is full: not a character is lost. */
export function wrapLine(line: Line, width: number): Line[] {
  const lines: Line[] = [];
  let current: Span[] = [];
  let left = width;
  for (const span of line) {
    for (const [index, piece] of breakText(span.text, left, width).entries()) {
      if (index > 0) {
        lines.push(current);
        current = [];
        left = width;
      }
      if (piece.text !== "") current.push({ ...span, text: piece.text });
      left -= piece.width;
    }
  }
  return [...lines, current];
}

/** Text in lines of at most `width` columns, broken between words where that can be. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const word of text.split(/ +/)) {
    const pieces = breakText(word, width, width);
    for (const [index, piece] of pieces.entries()) {
      const isFirst = current === "";
      if (index > 0 || (!isFirst && used + 1 + piece.width > width)) {
        lines.push(current);
        [current, used] = [piece.text, piece.width];
      } else {
        current += isFirst ? piece.text : ` ${piece.text}`;
        used += piece.width + (isFirst ? 0 : 1);
      }
    }
  }
  return [...lines, current];
}

interface Piece {
  readonly text: string;
  readonly width: number;
}

/** The text in pieces: the first of at most `first` columns, which may be none, the others of at most `width`. */
function breakText(text: string, first: number, width: number): Piece[] {
  if (isNarrow(text)) return breakNarrow(text, first, width);
  const pieces: Piece[] = [];
  let start = 0;
  let used = 0;
  let room = first;
  for (const grapheme of graphemes(text)) {
    const columns = graphemeWidth(grapheme.text);
    if (used + columns > room && !(used === 0 && room === width)) {
      pieces.push({ text: text.slice(start, grapheme.index), width: used });
      [start, used, room] = [grapheme.index, 0, width];
    }
    used += columns;
  }
  return [...pieces, { text: text.slice(start), width: used }];
}

function breakNarrow(text: string, first: number, width: number): Piece[] {
  if (text.length <= first) return [{ text, width: text.length }];
  const pieces = [{ text: text.slice(0, first), width: first }];
  for (let start = first; start < text.length; start += width) {
    const piece = text.slice(start, start + width);
    pieces.push({ text: piece, width: piece.length });
  }
  return pieces;
}
