import { checkSize } from "../text/size.js";

/** What a program may know of its process. Reading it has no effect on the process. */
export function thisProcess() {
  const { env, platform } = process;
  return {
    env: env as Record<string, string | undefined>,
    platform,
    cwd: () => process.cwd(),
    /** `undefined` on Windows. */
    user: process.getuid?.(),
    groups: process.getgroups?.() ?? [],
    clock: Date.now,
    ticks: () => performance.now(),
    // A function: creating the stream takes Node 2 ms.
    readStdin: (maxBytes: number) => readStream(process.stdin, maxBytes),
  };
}

/**
 * Reads all of a stream.
 *
 * @throws InvalidDataError with a predicate as its message when it has more than `maxSize` bytes
 */
export async function readStream(
  stream: AsyncIterable<Uint8Array | string>,
  maxSize: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    total += bytes.length;
    checkSize(total, maxSize);
  }
  return Buffer.concat(chunks);
}
