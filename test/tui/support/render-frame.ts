import { EventEmitter } from "node:events";
import { Writable } from "node:stream";
import { render } from "ink";
import type { ReactNode } from "react";

/** A terminal for ink. */
class Screen extends Writable {
  frame = "";
  readonly columns: number;
  constructor(columns: number) {
    super({ decodeStrings: false });
    this.columns = columns;
  }
  override _write(frame: string, _encoding: string, done: () => void): void {
    this.frame = frame;
    done();
  }
}

/** An element as ink renders it on a screen of this width. */
export function renderFrame(element: ReactNode, columns: number): string {
  const screen = new Screen(columns);
  const instance = render(element, {
    stdout: screen as unknown as NodeJS.WriteStream,
    stdin: new EventEmitter() as unknown as NodeJS.ReadStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const { frame } = screen;
  instance.unmount();
  instance.cleanup();
  return frame;
}
