import { drawings, isDrawn } from "./line-drawing.mjs";
import { coloursOf, theme } from "./palette.mjs";
import { parseFrame } from "./parse-frame.mjs";

const FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";
const FONT_SIZE = 15;
/** Six tenths of the font's size, as wide as most monospaced fonts are. Odd, so that a middle is on whole pixels. */
const CELL = { width: 9, height: 19 };
/** From the top of a row to the line that letters stand on. */
const BASELINE = 14;
const DIM = 0.6;
const PADDING = 12;
const BAR = 32;
const DOTS = ["#ff5f57", "#febc2e", "#28c840"];

/**
 * A picture of a terminal's window.
 *
 * @param {string} frame what `tmux capture-pane -e -p` prints
 * @param {{ title?: string, background?: "dark" | "light", columns?: number }} options columns: the least width in cells
 * @returns {string} SVG that needs no font, style or file from elsewhere
 */
export function frameSvg(frame, { title = "", background = "dark", columns: least = 1 } = {}) {
  const colours = theme(background);
  const rows = parseFrame(frame);
  const columns = Math.max(least, ...rows.flat().map(({ column, width }) => column + width));
  const width = columns * CELL.width + 2 * PADDING;
  const height = rows.length * CELL.height + 2 * PADDING + BAR;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    windowOf({ title, width, height, colours }),
    `<g font-family="${FONTS}" font-size="${FONT_SIZE}" fill="none">`,
    ...rows.flatMap((cells, index) => rowOf(cells, index, colours)),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function windowOf({ title, width, height, colours: { background, bar, border, title: titleColour } }) {
  const dots = DOTS.map((colour, index) => `<circle cx="${20 + 20 * index}" cy="${BAR / 2}" r="6" fill="${colour}"/>`);
  const inner = `x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9.5"`;
  const barPath = `M.5 ${BAR}V10A9.5 9.5 0 0 1 10 .5H${width - 10}A9.5 9.5 0 0 1 ${width - 0.5} 10V${BAR}Z`;
  const font = `font-family="system-ui,sans-serif" font-size="13" text-anchor="middle"`;
  return [
    `<rect ${inner} fill="${background}"/>`,
    `<path d="${barPath}" fill="${bar}"/>`,
    `<rect ${inner} fill="none" stroke="${border}"/>`,
    ...dots,
    `<text x="${width / 2}" y="${BAR / 2 + 4.5}" fill="${titleColour}" ${font}>${escaped(title)}</text>`,
  ].join("\n");
}

function rowOf(cells, index, colours) {
  const y = BAR + PADDING + index * CELL.height;
  const runs = runsOf(cells.filter(({ style }) => !style.hidden)).map((run) => ({
    ...run,
    ...coloursOf(run.style, colours),
    y,
  }));
  const words = runs.flatMap(wordsOf);
  return [
    ...runs.filter(({ bg }) => bg).map(backgroundOf),
    ...runs.flatMap(drawingsOf),
    ...runs.flatMap(rulesOf),
    ...(words.length > 0 ? [`<text y="${y + BASELINE}">${words.join("")}</text>`] : []),
  ];
}

/** Neighbours of one style, taken together. */
function runsOf(cells) {
  const runs = [];
  for (const cell of cells) {
    const run = runs.at(-1);
    if (run?.style === cell.style) run.cells.push(cell);
    else runs.push({ style: cell.style, cells: [cell] });
  }
  return runs;
}

const left = (column) => PADDING + column * CELL.width;

function extentOf({ cells }) {
  const { column, width } = cells.at(-1);
  return [left(cells[0].column), (column + width - cells[0].column) * CELL.width];
}

function backgroundOf(run) {
  const [x, width] = extentOf(run);
  return `<rect x="${x}" y="${run.y}" width="${width}" height="${CELL.height}" fill="${run.bg}"/>`;
}

function drawingsOf(run) {
  const cells = run.cells.filter(({ text }) => isDrawn(text));
  const placed = cells.map(({ text, column }) => ({ text, x: left(column), y: run.y }));
  return drawings(placed, CELL, { colour: run.fg, opacity: run.style.dim ? DIM : 1 });
}

/** Lines below and through text, which go on below its blanks. */
function rulesOf(run) {
  const [x, width] = extentOf(run);
  const heights = [run.style.underline && BASELINE + 2.5, run.style.strike && BASELINE - 4.5].filter(Boolean);
  return heights.map(
    (height) =>
      `<path d="M${x} ${run.y + height}h${width}" stroke="${run.fg}"${run.style.dim ? ` stroke-opacity="${DIM}"` : ""}/>`,
  );
}

/**
 * A tspan for each word, with the place of each character: whatever the font, columns stay columns. What is more than
 * one UTF-16 code unit is by itself, as renderers count differently there.
 */
function wordsOf(run) {
  const words = [];
  let word;
  for (const { text, column, width } of run.cells) {
    const isText = text.trim() !== "" && !isDrawn(text);
    const isSimple = isText && width === 1 && text.length === 1;
    if (isSimple && word) {
      word.text += text;
      word.places.push(left(column));
    } else {
      const started = isText ? { text, places: [left(column)] } : undefined;
      if (started) words.push(started);
      word = isSimple ? started : undefined;
    }
  }
  const style = textStyle(run);
  return words.map(({ text, places }) => `<tspan x="${places.join(" ")}" ${style}>${escaped(text)}</tspan>`);
}

function textStyle({ fg, style: { bold, italic, dim } }) {
  const attributes = {
    fill: fg,
    "font-weight": bold && "bold",
    "font-style": italic && "italic",
    "fill-opacity": dim && DIM,
  };
  const isSet = ([, value]) => value;
  return Object.entries(attributes)
    .filter(isSet)
    .map(([name, value]) => `${name}="${value}"`)
    .join(" ");
}

function escaped(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => entities[character]);
}
