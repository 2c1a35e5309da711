import { Box, render, Transform } from "ink";
import type { Picture } from "./screen.js";

/** The stream for frames, of which each write is one, without escape sequences of ink itself. */
export type FrameStream = NodeJS.WritableStream & { columns: number };

/**
 * Draws pictures with ink. This is the only module in the bundle with ink and React, which are ES modules.
 *
 * @returns `show` draws the next one; `ended` settles when ink has stopped, and rejects with its error
 */
export function startDrawing(first: Picture, stdout: FrameStream, stdin: NodeJS.ReadStream) {
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
 * Ink lays out blank lines, which get their text when they are drawn. Ink measures each grapheme of a text that
 * it lays out, in every frame, and caches the text for as long as the program runs: slow, and no place for values.
 */
export function Lines({ lines }: { readonly lines: readonly string[] }) {
  const blanks = Array.from(lines, () => " ").join("\n");
  return <Transform transform={(_, index) => lines[index] ?? ""}>{blanks}</Transform>;
}
