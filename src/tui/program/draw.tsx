import type { Writable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import chalk, { type ColorSupportLevel } from "chalk";
import { Box, render, Text } from "ink";
import { memo } from "react";
import type { PanelFrame } from "../stack/panel.js";
import type { Line, Span } from "../text/line.js";
import type { TextStyle, Theme } from "../text/theme.js";
import type { Frame } from "./frame.js";

interface Themed {
  readonly theme: Theme;
}

interface ScreenProps extends Themed {
  readonly picture: Frame;
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

export function ScreenView({ picture, theme }: ScreenProps) {
  const { columns, rows, above, body, below } = picture;
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Rows lines={above} theme={theme} />
      <Box height={rows - above.length - below.length} flexShrink={0} overflow="hidden">
        {body.map((panels, index) => (
          <Box key={index} flexDirection="column" flexShrink={0}>
            {panels.map((panel, at) => (
              <PanelView key={at} {...panel} theme={theme} />
            ))}
          </Box>
        ))}
      </Box>
      <Rows lines={below} theme={theme} />
    </Box>
  );
}

/**
 * A `Box` can't have a title in its border, so the first and the last line are
 * strings.
 */
function PanelView({ size, border, role, lines, theme }: PanelFrame & Themed) {
  const color = colorOf(theme[role]);
  const sides = { borderStyle: border, borderTop: false, borderBottom: false } as const;
  return (
    <Box flexDirection="column" flexShrink={0} {...size}>
      <Rows lines={lines.slice(0, 1)} theme={theme} />
      {/* Remounted when the style changes: otherwise ink draws a top border. */}
      <Box
        key={border}
        {...sides}
        borderColor={color}
        flexDirection="column"
        height={size.height - 2}
      >
        <Rows lines={lines.slice(1, -1)} theme={theme} />
      </Box>
      <Rows lines={lines.slice(-1)} theme={theme} />
    </Box>
  );
}

function Rows({ lines, theme }: { readonly lines: readonly Line[] } & Themed) {
  return lines.map((line, index) => <Row key={index} line={line} theme={theme} />);
}

/**
 * Memoized, because drawing unchanged lines again would take half the time of a
 * frame.
 */
const Row = memo(
  ({ line, theme }: { readonly line: Line } & Themed) => (
    <Text wrap="truncate">
      {line.length === 0 ? " " : line.map((span, at) => styledText(span, theme, at))}
    </Text>
  ),
  isDeepStrictEqual,
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
