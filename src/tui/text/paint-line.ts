import chalk from "chalk";
import type { Line, Span } from "./line.js";
import type { TextStyle, Theme } from "./theme.js";

/** A line with the escape sequences of a theme, and as few characters as possible: each costs time in every frame. */
export function paintLine(line: Line, theme: Theme): string {
  return merged(line)
    .map(({ text, role = "text", isBold = false, isInverse = false }) =>
      paint(text, { ...theme[role], ...(isBold && { bold: true }) }, isInverse),
    )
    .join("");
}

function paint(text: string, style: TextStyle, isInverse: boolean): string {
  let painted = colored(text, style);
  if (style.dimColor) painted = chalk.dim(painted);
  if (style.bold) painted = chalk.bold(painted);
  if (style.underline) painted = chalk.underline(painted);
  return isInverse ? chalk.inverse(painted) : painted;
}

/** With 256 colors, chalk often turns `#rrggbb` into a paler color, which can fall below the measured contrast. */
function colored(text: string, { color, ansi256 }: TextStyle): string {
  if (color === undefined) return text;
  return chalk.level === 2 && ansi256 !== undefined ? chalk.ansi256(ansi256)(text) : chalk.hex(color)(text);
}

/** The same picture in fewer spans: neighbours of one style joined, blanks at the end left out. */
function merged(line: Line): readonly Span[] {
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
