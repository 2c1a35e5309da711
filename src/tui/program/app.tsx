import { Box, Transform } from "ink";
import { createContext, useContext } from "react";
import type { Command } from "../state/command.js";
import { isTooSmall, MIN_SCREEN } from "../state/layout.js";
import type { State } from "../state/state.js";
import { type Line, paintLine, wrapLines } from "../text/line.js";
import { createTheme, type Theme } from "../text/theme.js";
import type { Panel } from "../view/panel.js";
import { panelLines } from "../view/panel.js";
import { isQuitQuestion } from "../view/question.js";
import { screenContent } from "./screen.js";

interface AppProps {
  readonly state: State;
  /** The commands of browse mode, for the footer and the help. */
  readonly commands: readonly Command[];
}

export function App({ state, commands }: AppProps) {
  const { columns, rows } = state;
  if (isTooSmall(state)) {
    const small = `Too small: ${MIN_SCREEN.columns}x${MIN_SCREEN.rows} is needed.`;
    const text = isQuitQuestion(state) ? `Ctrl-C again quits. ${small}` : `${small} Ctrl-C quits.`;
    return (
      <Box width={columns} height={rows}>
        <TextLines lines={wrapLines(text, columns, "text").slice(0, rows)} />
      </Box>
    );
  }
  const { header, body, overlay, footer } = screenContent(state, commands);
  const [left = [], middle = [], right = []] = body;
  const height = rows - 1 - footer.length - (overlay?.size.height ?? 0);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <TextLines lines={[header]} />
      <Box width={columns} height={height} flexShrink={0}>
        <Panels panels={left} height={height} />
        <Panels panels={middle} height={height} />
        <Panels panels={right} height={height} />
      </Box>
      {overlay && <Panels panels={[overlay]} />}
      <TextLines lines={footer} />
    </Box>
  );
}

/** The theme of the components below; by default the one without colors. */
export const ThemeContext = createContext<Theme>(createTheme("plain"));

/**
 * Lines of the screen, one below the other, none of them wider than the box.
 *
 * Ink lays out blank lines, which get their text when they are drawn. Ink measures each grapheme of a text that
 * it lays out, in every frame, and caches the text for as long as the program runs: slow, and no place for values.
 */
export function TextLines({ lines }: { readonly lines: readonly Line[] }) {
  const theme = useContext(ThemeContext);
  const painted = lines.map((line) => paintLine(line, theme));
  const blanks = Array.from(lines, () => " ").join("\n");
  return <Transform transform={(_, index) => painted[index] ?? ""}>{blanks}</Transform>;
}

/** Panels of one width, one below the other. @param height lines that are visible, by default all */
export function Panels({ panels, height }: { readonly panels: readonly Panel[]; readonly height?: number }) {
  return (
    <Box width={panels[0]?.size.width ?? 0} flexShrink={0}>
      <TextLines lines={panels.flatMap(({ size, content }) => panelLines(content, size)).slice(0, height)} />
    </Box>
  );
}
