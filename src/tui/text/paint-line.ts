import chalk from "chalk";
import type { TextStyle, Theme } from "../theme.js";
import type { Line, Span } from "./line.js";

/** A line as a terminal takes it, with nothing in it that looks like nothing. */
export function paintLine(line: Line, theme: Theme): string {
  return lean(line)
    .map(({ text, role = "text", isBold = false, isInverse = false }) => {
      return paint(text, { ...theme[role], ...(isBold && { bold: true }) }, isInverse);
    })
    .join("");
}

function paint(text: string, style: TextStyle, isInverse: boolean): string {
  const { bold, dimColor, underline } = style;
  let painted = coloured(text, style);
  if (dimColor) painted = chalk.dim(painted);
  if (bold) painted = chalk.bold(painted);
  if (underline) painted = chalk.underline(painted);
  return isInverse ? chalk.inverse(painted) : painted;
}

/** What chalk makes of `#rrggbb` where there are 256 colours is often paler, and then not as legible as was measured. */
function coloured(text: string, { color, ansi256 }: TextStyle): string {
  if (color === undefined) return text;
  return chalk.level === 2 && ansi256 !== undefined ? chalk.ansi256(ansi256)(text) : chalk.hex(color)(text);
}

/** The same to look at in as few characters as can be: each of them is looked at in every frame. */
function lean(line: Line): readonly Span[] {
  const spans: Span[] = [];
  for (const span of line) {
    const last = spans.at(-1);
    if (last && isAlike(last, span)) spans[spans.length - 1] = { ...last, text: last.text + span.text };
    else spans.push(span);
  }
  const last = spans.at(-1);
  if (last && !last.isInverse) spans[spans.length - 1] = { ...last, text: last.text.trimEnd() };
  return spans.filter((span) => span.text !== "");
}

function isAlike(a: Span, b: Span): boolean {
  return (a.role ?? "text") === (b.role ?? "text") && a.isBold === b.isBold && a.isInverse === b.isInverse;
}
