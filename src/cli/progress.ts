import type { Context } from "./context.js";

/** Tells what long work is at, on one line of a terminal that is gone when it is done. */
export interface Progress {
  (step: string): void;
  done(): void;
}

/** Shows nothing where stderr is no terminal, or with `--quiet`. */
export function createProgress({ io, flags }: Context): Progress {
  const isShown = io.stderr.isTTY && !flags.quiet;
  const write = (text: string) => {
    if (isShown) io.stderr.write(`\r\u001b[K${text}`);
  };
  return Object.assign((step: string) => write(`${step} …`), { done: () => write("") });
}
