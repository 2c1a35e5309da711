import { Writable } from "node:stream";

/**
 * The stdout of ink. In ink's debug mode each write is a whole frame. Since it isn't a TTY, ink adds no escape sequences
 * of its own.
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
