import type { Writable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import chalk, { type ColorSupportLevel } from "chalk";
import { Box, render, Text } from "ink";
import { createContext, memo, useContext } from "react";
import type { PanelFrame } from "../stack/panel.js";
import type { Line, Span } from "../text/line.js";
import type { TextStyle, Theme } from "../text/theme.js";
import type { Frame } from "./frame.js";

interface ScreenProps {
  readonly picture: Frame;
  readonly theme: Theme;
}

/**
 * Draws with ink. The bundle with ink and React, which are ES modules, contains
 * only this module.
 *
 * Ink does not write to the terminal itself. It would clear the screen and the
 * scrollback for a frame as tall as the terminal, and write every line. Its
 * incremental rendering erases the last column of full lines, ignores
 * backpressure, and shows nothing if CI is set.
 *
 * @returns `ended` rejects with ink's error
 */
export function startDrawing(
  first: ScreenProps,
  stdout: Writable,
  stdin: NodeJS.ReadStream,
  level: ColorSupportLevel,
) {
  chalk.level = level;
  const view = render(<ScreenView {...first} />, {
    debug: true,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    show: (next: ScreenProps) => view.rerender(<ScreenView {...next} />),
    ended: view.waitUntilExit(),
    stop: () => view.unmount(),
  };
}

const ThemeContext = createContext({} as Theme);

export function ScreenView({ picture, theme }: ScreenProps) {
  const { columns, rows, above, body, below } = picture;
  return (
    <ThemeContext value={theme}>
      <Box flexDirection="column" width={columns} height={rows}>
        <Rows lines={above} />
        <Box height={rows - above.length - below.length} flexShrink={0} overflow="hidden">
          {body.map((panels, index) => (
            <Box key={index} flexDirection="column" flexShrink={0}>
              {panels.map((panel, at) => (
                <PanelView key={at} {...panel} />
              ))}
            </Box>
          ))}
        </Box>
        <Rows lines={below} />
      </Box>
    </ThemeContext>
  );
}

/**
 * A `Box` can't have a title in its border, so the first and the last line are
 * strings.
 */
function PanelView({ size, border, role, lines }: PanelFrame) {
  const color = colorOf(useContext(ThemeContext)[role]);
  const sides = { borderStyle: border, borderTop: false, borderBottom: false } as const;
  return (
    <Box flexDirection="column" flexShrink={0} {...size}>
      <Rows lines={lines.slice(0, 1)} />
      {/* Remounted when the style changes: otherwise ink draws a top border. */}
      <Box
        key={border}
        {...sides}
        borderColor={color}
        flexDirection="column"
        height={size.height - 2}
      >
        <Rows lines={lines.slice(1, -1)} />
      </Box>
      <Rows lines={lines.slice(-1)} />
    </Box>
  );
}

function Rows({ lines }: { readonly lines: readonly Line[] }) {
  return lines.map((line, index) => <Row key={index} line={line} />);
}

/**
 * Memoized, because drawing unchanged lines again would take half the time of a
 * frame.
 */
const Row = memo(
  ({ line }: { readonly line: Line }) => {
    const theme = useContext(ThemeContext);
    return (
      <Text wrap="truncate">
        {line.length === 0 ? " " : line.map((span, at) => styledText(span, theme, at))}
      </Text>
    );
  },
  (before, next) => isDeepStrictEqual(before.line, next.line),
);

function styledText(
  { text, role = "text", isBold = false, isInverse = false }: Span,
  theme: Theme,
  key: number,
) {
  const { bold = false, dimColor = false, underline = false } = theme[role];
  const look = { bold: isBold || bold, dimColor, underline, inverse: isInverse };
  return (
    <Text key={key} color={colorOf(theme[role])} {...look}>
      {text}
    </Text>
  );
}

/**
 * Chalk with 256 colors often turns `#rrggbb` into a paler color, whose
 * contrast can be too low.
 */
function colorOf({ color = "", ansi256 }: TextStyle): string {
  return chalk.level === 2 && ansi256 !== undefined ? `ansi256(${ansi256})` : color;
}
