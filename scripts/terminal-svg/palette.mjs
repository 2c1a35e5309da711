/** The colours of the window, of its text, and of the 16 that a program names by number. */
const THEMES = {
  dark: {
    background: "#0d1117",
    bar: "#161b22",
    border: "#3d444d",
    title: "#9198a1",
    text: "#e6edf3",
    colours: [
      ...["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"],
      ...["#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff"],
    ],
  },
  light: {
    background: "#ffffff",
    bar: "#f6f8fa",
    border: "#d0d7de",
    title: "#59636e",
    text: "#1f2328",
    colours: [
      ...["#24292f", "#cf222e", "#116329", "#4d2d00", "#0969da", "#8250df", "#1b7c83", "#6e7781"],
      ...["#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f"],
    ],
  },
};

/** @param {"dark" | "light"} name */
export function theme(name) {
  return THEMES[name];
}

/**
 * Text and background of a style as `#rrggbb`; `bg` is undefined where the window's own is seen.
 *
 * @param {import("./parse-frame.mjs").Style} style
 */
export function coloursOf(style, { text, background, colours }) {
  const fg = rgb(style.fg, colours) ?? text;
  const bg = rgb(style.bg, colours);
  return style.inverse ? { fg: bg ?? background, bg: fg } : { fg, bg };
}

/** 16 of the theme, a cube of 6 x 6 x 6, and 24 greys, as xterm has them. */
function rgb(colour, colours) {
  if (typeof colour !== "number") return colour;
  if (colour < 16) return colours[colour];
  if (colour >= 232) return hex(Array(3).fill(8 + 10 * (colour - 232)));
  const index = colour - 16;
  return hex([Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((part) => part && 55 + 40 * part));
}

function hex(parts) {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
