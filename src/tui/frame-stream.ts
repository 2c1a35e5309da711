import { Writable } from "node:stream";

/**
 * What ink takes for its stdout: in its debug mode each write is one whole frame. It is no terminal, so that ink sends
 * no codes of its own.
 */
export class FrameStream extends Writable {
  readonly isTTY = false;
  readonly #size: () => { columns: number; rows: number };

  constructor(size: () => { columns: number; rows: number }, onFrame: (frame: string) => void) {
    super({
      decodeStrings: false,
      write(frame: string, _encoding, done) {
        onFrame(frame);
        done();
      },
    });
    this.#size = size;
  }

  get columns(): number {
    return this.#size().columns;
  }

  get rows(): number {
    return this.#size().rows;
  }
}
