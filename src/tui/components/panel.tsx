import { Box } from "ink";
import type { Size } from "../state/layout.js";
import { cutLine, fitText } from "../text/fit-line.js";
import { type Line, line } from "../text/line.js";
import { textWidth } from "../text/text-width.js";
import type { Role } from "../theme.js";
import { TextLines } from "./text-lines.js";

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

const THIN = { left: "╭│╰", bar: "─", right: "╮│╯" } as const;
const THICK = { left: "┏┃┗", bar: "━", right: "┓┃┛" } as const;

/** Lines in a border with a title. */
export function Panel({ size: { width, height }, title, footnote = "", isFocused, lines }: PanelProps) {
  const { left, bar, right } = isFocused ? THICK : THIN;
  const role = isFocused ? "accent" : "muted";
  const inner = width - 2;
  const rows = Array.from({ length: height - 2 }, (_, index) => cutLine(lines[index] ?? [], inner));
  const head = label(isFocused ? `▶ ${title}` : title, inner);
  const foot = label(footnote, inner);
  const rest = (text: string) => bar.repeat(Math.max(0, inner - 1 - textWidth(text)));
  const top: Line = [
    { text: bar, role },
    { text: head, role: isFocused ? "accent" : "text" },
    { text: rest(head), role },
  ];
  const bottom: Line = [{ text: `${rest(foot)}${foot}${bar}`, role }];
  return (
    <Box width={width} height={height} flexShrink={0}>
      <Side border={left} role={role} height={height} />
      <Box width={inner} flexShrink={0}>
        <TextLines lines={[top, ...rows, bottom]} />
      </Box>
      <Side border={right} role={role} height={height} />
    </Box>
  );
}

interface SideProps {
  /** Corner, side, corner. */
  readonly border: string;
  readonly role: Role;
  readonly height: number;
}

function Side({ border, role, height }: SideProps) {
  const lines = Array.from({ length: height }, (_, index): Line => {
    return line(border.charAt(index === 0 ? 0 : index === height - 1 ? 2 : 1), role);
  });
  return (
    <Box width={1} flexShrink={0}>
      <TextLines lines={lines} />
    </Box>
  );
}

/** What stands in a border, with spaces around it, cut where it is too wide. */
function label(text: string, inner: number): string {
  const room = inner - 4;
  return text === "" ? "" : ` ${textWidth(text) > room ? fitText(text, room) : text} `;
}
