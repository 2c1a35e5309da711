/**
 * Lines and blocks as shapes. Fonts draw them as high as they please, so that lines of a text would not meet; shapes
 * fill the cell in every font.
 */

/** Where lines leave the cell's middle: up, right, down, left. Unicode block U+2500 names them. */
const LIGHT = "─rl │ud ┌rd ┐ld └ru ┘lu ├udr ┤udl ┬rld ┴rlu ┼udrl ╭rd ╮ld ╰ru ╯lu ╴l ╵u ╶r ╷d";
const HEAVY = "━rl ┃ud ┏rd ┓ld ┗ru ┛lu ┣udr ┫udl ┳rld ┻rlu ╋udrl";
const ROUND = "╭╮╰╯";
const LINES = new Map(`${LIGHT} ${HEAVY}`.split(" ").map((entry) => [entry.charAt(0), entry.slice(1)]));
const SHADES = "░▒▓";

/** Whether a character is drawn here rather than by a font. */
export function isDrawn(text) {
  return LINES.has(text) || blockOf(text) !== undefined;
}

/**
 * The SVG of these characters, all of one colour.
 *
 * @param {{ text: string, x: number, y: number }[]} cells
 * @param {{ width: number, height: number }} size of a cell
 * @param {{ colour: string, opacity: number }} style
 */
export function drawings(cells, size, { colour, opacity }) {
  const lines = cells.filter(({ text }) => LINES.has(text));
  const blocks = cells.filter(({ text }) => blockOf(text));
  return [
    ...strokes(lines, (text) => !HEAVY.includes(text), 1, size),
    ...strokes(lines, (text) => HEAVY.includes(text), 3, size),
  ]
    .map((path) => `<path ${path} stroke="${colour}"${opacity < 1 ? ` stroke-opacity="${opacity}"` : ""}/>`)
    .concat(blocks.map((cell) => block(cell, size, colour, opacity)));
}

/** One path for all of one width: where two cells meet nothing is drawn twice. */
function strokes(cells, isOfWidth, width, size) {
  const chosen = cells.filter(({ text }) => isOfWidth(text));
  if (chosen.length === 0) return [];
  return [`d="${chosen.map((cell) => lines(cell, size)).join("")}" stroke-width="${width}"`];
}

function lines({ text, x, y }, { width, height }) {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const ends = { u: `V${y}`, d: `V${y + height}`, r: `H${x + width}`, l: `H${x}` };
  const letters = LINES.get(text);
  if (letters.length !== 2) return Array.from(letters, (letter) => `M${middleX} ${middleY}${ends[letter]}`).join("");
  const [first, second] = letters;
  const start = first === "u" ? `M${middleX} ${y}` : `M${first === "r" ? x + width : x} ${middleY}`;
  if (!ROUND.includes(text))
    return `${start}${letters === "rl" || letters === "ud" ? "" : `H${middleX}`}${ends[second]}`;
  return `${start}Q${middleX} ${middleY} ${middleX} ${middleY + ((second === "d" ? 1 : -1) * width) / 2}${ends[second]}`;
}

function block({ text, x, y }, { width, height }, colour, opacity) {
  const [left, top, across, down, shade = 1] = blockOf(text);
  const place = `x="${x + left * width}" y="${y + top * height}" width="${across * width}" height="${down * height}"`;
  return `<rect ${place} fill="${colour}"${shade * opacity < 1 ? ` fill-opacity="${shade * opacity}"` : ""}/>`;
}

/** x, y, width and height of a block element in parts of the cell, and its opacity; undefined for other characters. */
function blockOf(text) {
  const code = text.charCodeAt(0);
  if (SHADES.includes(text)) return [0, 0, 1, 1, (code - 0x2590) / 4];
  if (text === "▀") return [0, 0, 1, 0.5];
  if (text === "▐") return [0.5, 0, 0.5, 1];
  const eighths = code - 0x2580;
  if (eighths >= 1 && eighths <= 8) return [0, 1 - eighths / 8, 1, eighths / 8];
  if (eighths >= 9 && eighths <= 15) return [0, 0, (16 - eighths) / 8, 1];
  return undefined;
}
