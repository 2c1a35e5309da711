import stringWidth from "string-width";

const FONTS =
  "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";
const FONT_SIZE = 15;
const CELL = { width: 9, height: 19 };
/** The distance from the top of a row to the baseline of its text. */
const BASELINE = 14;
const PADDING = 12;
const TITLE_BAR = 32;
const DARK = {
  background: "#0d1117",
  bar: "#161b22",
  border: "#3d444d",
  title: "#9198a1",
  text: "#e6edf3",
};
const LIGHT = {
  background: "#ffffff",
  bar: "#f6f8fa",
  border: "#d0d7de",
  title: "#59636e",
  text: "#1f2328",
};

/**
 * A picture of a terminal window, as SVG without external fonts, styles or files.
 *
 * @param {string} frame the output of `tmux capture-pane -e -p` for a program that uses 24-bit
 *   colors
 * @param {{ title: string, columns: number, isLight?: boolean }} options
 */
export function terminalSvg(frame, { title, columns, isLight = false }) {
  const colors = isLight ? LIGHT : DARK;
  const rows = frame.replace(/\n$/, "").split("\n");
  const width = columns * CELL.width + 2 * PADDING;
  const height = rows.length * CELL.height + 2 * PADDING + TITLE_BAR;
  const style = {};
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    windowSvg(title, width, height, colors),
    `<g font-family="${FONTS}" font-size="${FONT_SIZE}" fill="none">`,
    ...rows.flatMap((row, index) =>
      rowSvg(runsOf(row, style), TITLE_BAR + PADDING + index * CELL.height, colors),
    ),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function windowSvg(title, width, height, { background, bar, border, title: color }) {
  const frame = `x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9.5"`;
  const top = `M.5 ${TITLE_BAR}V10A9.5 9.5 0 0 1 10 .5H${width - 10}A9.5 9.5 0 0 1 ${width - 0.5} 10V${TITLE_BAR}Z`;
  const font = 'font-family="system-ui,sans-serif" font-size="13" text-anchor="middle"';
  return [
    `<rect ${frame} fill="${background}"/>`,
    `<path d="${top}" fill="${bar}"/>`,
    `<rect ${frame} fill="none" stroke="${border}"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (dot, at) => `<circle cx="${20 + 20 * at}" cy="16" r="6" fill="${dot}"/>`,
    ),
    `<text x="${width / 2}" y="20.5" fill="${color}" ${font}>${escaped(title)}</text>`,
  ].join("\n");
}

const SWITCHES = {
  1: { bold: true },
  2: { dim: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  24: { underline: false },
  27: { inverse: false },
  39: { color: undefined },
};

/** The cells of a row by style. `style`, which continues in the next row, is updated. */
function runsOf(row, style) {
  const graphemes = new Intl.Segmenter();
  let column = 0;
  return row.split(/(\x1b\[[\d;]*m)/).flatMap((part) => {
    if (part.startsWith("\x1b")) {
      restyle(style, part.slice(2, -1).split(";").map(Number));
      return [];
    }
    const cells = Array.from(graphemes.segment(part), ({ segment: text }) => {
      const cell = { text, column, width: stringWidth(text) };
      column += cell.width;
      return cell;
    });
    return cells.length === 0 ? [] : [{ cells, style: { ...style } }];
  });
}

function restyle(style, codes) {
  while (codes.length > 0) {
    const code = codes.shift();
    if (code === 0) for (const name of Object.keys(style)) delete style[name];
    if (code === 38) {
      const [, ...rgb] = codes.splice(0, 4);
      style.color = `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    }
    Object.assign(style, SWITCHES[code]);
  }
}

function rowSvg(runs, y, { background, text }) {
  const parts = runs.map(({ cells, style }) => {
    const color = style.color ?? text;
    const x = leftOf(cells[0]);
    const width = leftOf(cells.at(-1)) + cells.at(-1).width * CELL.width - x;
    const opacity = style.dim ? ' opacity="0.6"' : "";
    const shapes = [
      style.inverse &&
        `<rect x="${x}" y="${y}" width="${width}" height="${CELL.height}" fill="${color}"/>`,
      style.underline &&
        `<path d="M${x} ${y + BASELINE + 2.5}h${width}" stroke="${color}"${opacity}/>`,
      lines(cells, y, color, opacity),
    ];
    const look = `fill="${style.inverse ? background : color}"${style.bold ? ' font-weight="bold"' : ""}${opacity}`;
    return { shapes: shapes.filter(Boolean), words: words(cells, look) };
  });
  const all = parts.flatMap((part) => part.words).join("");
  return [
    ...parts.flatMap((part) => part.shapes),
    ...(all === "" ? [] : [`<text y="${y + BASELINE}">${all}</text>`]),
  ];
}

const leftOf = ({ column }) => PADDING + column * CELL.width;

/**
 * Borders as shapes, since fonts draw them at different heights. Letters: up, right, down, left.
 */
const BORDERS = {
  ...{ "─": "rl", "│": "ud", "╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu" },
  ...{ "━": "rl", "┃": "ud", "┏": "rd", "┓": "ld", "┗": "ru", "┛": "lu" },
};

function lines(cells, y, color, opacity) {
  const drawn = cells.filter(({ text }) => text in BORDERS);
  const path = drawn.map((cell) => {
    const [x, middleX, middleY] = [
      leftOf(cell),
      leftOf(cell) + CELL.width / 2,
      y + CELL.height / 2,
    ];
    const ends = {
      u: `${middleX} ${y}`,
      d: `${middleX} ${y + CELL.height}`,
      r: `${x + CELL.width} ${middleY}`,
      l: `${x} ${middleY}`,
    };
    const [from, to] = BORDERS[cell.text];
    const corner = "╭╮╰╯".includes(cell.text)
      ? `Q${middleX} ${middleY} `
      : `L${middleX} ${middleY}L`;
    return `M${ends[from]}${"─│━┃".includes(cell.text) ? "L" : corner}${ends[to]}`;
  });
  const width = drawn.some(({ text }) => "━┃┏┓┗┛".includes(text)) ? 3 : 1;
  return drawn.length === 0
    ? ""
    : `<path d="${path.join("")}" stroke-width="${width}" stroke="${color}"${opacity}/>`;
}

/**
 * A tspan for each word, with the position of each character, so that columns are kept in every
 * font.
 */
function words(cells, look) {
  const all = [];
  let isOpen = false;
  for (const cell of cells) {
    const isText = cell.text.trim() !== "" && !(cell.text in BORDERS);
    // Renderers disagree about the positions of characters outside of the BMP.
    const isSimple = isText && cell.width === 1 && cell.text.length === 1;
    if (isText && isSimple && isOpen) all.at(-1).push(cell);
    else if (isText) all.push([cell]);
    isOpen = isSimple;
  }
  return all.map((word) => {
    return `<tspan x="${word.map(leftOf).join(" ")}" ${look}>${escaped(word.map(({ text }) => text).join(""))}</tspan>`;
  });
}

/** Text as it is written in an SVG. */
export function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
