import { once } from "node:events";
import type { Io } from "./io.js";

/** This process as a command sees it. */
export function processIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  // A reader that has seen enough, `head` for one, closes the pipe: that ends the command, it is no error.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  return { stdin, stdout, stderr, env, clock: Date.now, untilStopped };
}

async function untilStopped(): Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  await Promise.race([once(process, "SIGINT", { signal }), once(process, "SIGTERM", { signal })]);
  // Takes both listeners off: another signal ends the process at once.
  stopped.abort();
}
