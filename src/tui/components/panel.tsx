import { Box } from "ink";
import type { Size } from "../state/layout.js";
import { fitLine, fitText } from "../text/fit-line.js";
import type { Line } from "../text/line.js";
import { textWidth } from "../text/text-width.js";
import { TextLine } from "./text-line.js";

interface PanelProps {
  readonly size: Size;
  readonly title: string;
  /** What stands in the bottom border, at its right. */
  readonly footnote?: string | undefined;
  /** Whether keys go to it: told by a thick border, a mark and the colour. */
  readonly isFocused: boolean;
  /** What is in it, from the top; what is too wide or too many is cut. */
  readonly lines: readonly Line[];
}

const THIN = { top: "╭─╮", side: "│", bottom: "╰─╯" } as const;
const THICK = { top: "┏━┓", side: "┃", bottom: "┗━┛" } as const;

/** Lines in a border with a title. */
export function Panel({ size: { width, height }, title, footnote = "", isFocused, lines }: PanelProps) {
  const border = isFocused ? THICK : THIN;
  const role = isFocused ? "accent" : "muted";
  const side = { text: border.side, role } as const;
  const inner = width - 2;
  const rows = Array.from({ length: height - 2 }, (_, index) => {
    return [side, ...fitLine(lines[index] ?? [], inner), side];
  });
  const all: Line[] = [
    [{ text: edge(border.top, isFocused ? `▶ ${title}` : title, inner, "start"), role }],
    ...rows,
    [{ text: edge(border.bottom, footnote, inner, "end"), role }],
  ];
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      {all.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is nothing but its place on the screen
        <TextLine key={index} line={line} />
      ))}
    </Box>
  );
}

/** `╭─ Title ──────╮` */
function edge([left = "", bar = "", right = ""]: string, text: string, inner: number, at: "start" | "end"): string {
  const room = inner - 4;
  const label = text === "" ? "" : ` ${textWidth(text) > room ? fitText(text, room) : text} `;
  const rest = bar.repeat(Math.max(0, inner - 1 - textWidth(label)));
  return at === "start" ? `${left}${bar}${label}${rest}${right}` : `${left}${rest}${label}${bar}${right}`;
}
