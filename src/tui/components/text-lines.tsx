import { Transform } from "ink";
import { useTheme } from "../hooks/use-theme.js";
import type { Line } from "../text/line.js";
import { paintLine } from "../text/paint-line.js";

interface TextLinesProps {
  /** None wider than the room there is for it. */
  readonly lines: readonly Line[];
}

/**
 * Lines of the screen, one below the other.
 *
 * Ink is given as many blank lines, and what is on them as they are drawn. Of a text that it lays out itself it
 * measures each grapheme in every frame, and keeps it as long as the program runs: that is slow, and no place for
 * values.
 */
export function TextLines({ lines }: TextLinesProps) {
  const theme = useTheme();
  const painted = lines.map((line) => paintLine(line, theme));
  return <Transform transform={(_, index) => painted[index] ?? ""}>{blanks(lines.length)}</Transform>;
}

/** The same for one line. */
export function TextLine({ line }: { readonly line: Line }) {
  return <TextLines lines={[line]} />;
}

function blanks(count: number): string {
  return Array.from({ length: count }, () => " ").join("\n");
}
