import type { Writable } from "node:stream";
import { Box, render, Transform } from "ink";
import type { Picture } from "./screen.js";

/**
 * Draws pictures with ink. This is the only module in the bundle with ink and React, which are ES modules.
 *
 * Ink does not write to the terminal itself. For a frame as high as the terminal it clears that, with what was scrolled
 * out of it, and writes all lines; its incremental rendering of a lower one erases the last column of full lines, doesn't
 * wait for a slow connection, and shows nothing where CI is set. It was no faster: 15 ms and 10 ms for 9 ms.
 *
 * @returns `show` draws the next one; `ended` settles when ink has stopped, and rejects with its error
 */
export function startDrawing(first: Picture, stdout: Writable, stdin: NodeJS.ReadStream) {
  const view = render(<Screen picture={first} />, {
    debug: true,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    show: (picture: Picture) => view.rerender(<Screen picture={picture} />),
    ended: view.waitUntilExit(),
    stop: () => view.unmount(),
  };
}

export function Screen({ picture }: { readonly picture: Picture }) {
  const { columns, rows, above, body, below } = picture;
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Lines lines={above} />
      <Box width={columns} height={rows - above.length - below.length} flexShrink={0}>
        {body.map(({ width, lines }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is known by its place
          <Box key={index} width={width} flexShrink={0}>
            <Lines lines={lines} />
          </Box>
        ))}
      </Box>
      <Lines lines={below} />
    </Box>
  );
}

/**
 * Painted lines, one below the other, none of them wider than the box.
 *
 * Ink lays out blank lines, which get their text when they are drawn. As `Text`, with one for each color, a frame takes
 * 46 ms for 9 ms and the program 530 MB for 330 MB, and ink caches the texts, with values, for as long as it runs. Borders
 * are part of the lines: those of `Box` have no title (and took 10 ms).
 */
export function Lines({ lines }: { readonly lines: readonly string[] }) {
  const blanks = Array.from(lines, () => " ").join("\n");
  return <Transform transform={(_, index) => lines[index] ?? ""}>{blanks}</Transform>;
}
