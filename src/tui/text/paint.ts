import chalk, { type ChalkInstance } from "chalk";
import type { TextStyle, Theme } from "../theme.js";
import type { Line, Span } from "./line.js";

/** A line with its colours, for one `<Text>`: a component for each of its spans would take several times as long. */
export function paint(line: Line, theme: Theme): string {
  return line.map((span) => paintSpan(span, theme)).join("");
}

function paintSpan({ text, role = "text", isBold = false, isInverse = false }: Span, theme: Theme): string {
  if (role === "text" && !isBold && !isInverse) return text;
  return brush({ ...theme[role], ...(isBold && { bold: true }) }, isInverse)(text);
}

function brush({ color, bold, dimColor, underline }: TextStyle, isInverse: boolean): ChalkInstance {
  let style: ChalkInstance = chalk;
  if (dimColor) style = style.dim;
  if (color) style = style.hex(color);
  if (bold) style = style.bold;
  if (underline) style = style.underline;
  return isInverse ? style.inverse : style;
}
