import { Box, Transform } from "ink";
import { createContext, useContext } from "react";
import type { Size } from "../state/layout.js";
import type { Line } from "../text/line.js";
import { paintLine } from "../text/paint-line.js";
import { createTheme, type Theme } from "../text/theme.js";
import { type PanelContent, panelLines } from "../view/panel-content.js";

/** The theme of the components below; by default the one without colors. */
export const ThemeContext = createContext<Theme>(createTheme("plain"));

/**
 * Lines of the screen, one below the other, none of them wider than the box.
 *
 * Ink lays out blank lines, and what is on them is put in when they are drawn. Ink measures each grapheme of a text that
 * it lays out, in every frame, and caches the text for as long as the program runs: slow, and no place for values.
 */
export function TextLines({ lines }: { readonly lines: readonly Line[] }) {
  const theme = useContext(ThemeContext);
  const painted = lines.map((line) => paintLine(line, theme));
  const blanks = Array.from(lines, () => " ").join("\n");
  return <Transform transform={(_, index) => painted[index] ?? ""}>{blanks}</Transform>;
}

export interface Panel {
  readonly size: Size;
  readonly content: PanelContent;
}

/** Panels of one width, one below the other. */
export function Panels({ panels }: { readonly panels: readonly Panel[] }) {
  return (
    <Box width={panels[0]?.size.width ?? 0} flexShrink={0}>
      <TextLines lines={panels.flatMap(({ size, content }) => panelLines(content, size))} />
    </Box>
  );
}
