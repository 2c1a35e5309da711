import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Child } from "./child.js";
import type { ChildVariable } from "./child-variables.js";
import type { Context } from "./context.js";
import type { Output } from "./io.js";
import { redactStream } from "./redactor.js";
import { secretTexts } from "./secret-texts.js";
import { catchSignals, isStopSignal } from "./signals.js";

const LAST_WORDS_MS = 2_000;

export interface RedactedOutput {
  /** Writes what a program writes, without the values. */
  redact(child: Child, variables: readonly ChildVariable[]): void;
  /**
   * Resolves once all is written that the programs, and what they left running, have to say. When we were asked to
   * stop, what they left running is not waited for.
   */
  finish(): Promise<void>;
}

/** The output of a program, to be given to `redact` in the moment that the program is started. */
export function createRedactedOutput({ io, note }: Context): RedactedOutput {
  const outputs: Readable[] = [];
  const written: Promise<void>[] = [];
  let isStopping = false;
  let release: (() => void) | undefined;
  const copy = (from: Readable | null, texts: string[], to: Output, name: string) => {
    if (!from) return;
    outputs.push(from);
    written.push(
      redactInto(from, texts, to).catch((error: NodeJS.ErrnoException) => {
        if (!EXPECTED.includes(error.code ?? "")) io.stderr.write(`appvars: can't write to ${name} (${error.code})\n`);
      }),
    );
  };
  return {
    redact({ stdout, stderr }, variables) {
      release ??= catchSignals((name) => {
        isStopping ||= isStopSignal(name);
      });
      const { texts, tooShort } = secretTexts(variables);
      if (tooShort.length > 0) note(`not redacted, the values are too short: ${tooShort.join(", ")}`);
      copy(stdout, texts, io.stdout, "stdout");
      copy(stderr, texts, io.stderr, "stderr");
    },
    async finish() {
      release?.();
      const all = Promise.all(written);
      if (isStopping) {
        await Promise.race([all, delay(LAST_WORDS_MS, undefined, { ref: false })]);
        for (const output of outputs) output.destroy();
      }
      await all;
    },
  };
}

/** Our reader has gone; we are done. */
const EXPECTED = ["EPIPE", "ERR_STREAM_PREMATURE_CLOSE"];

/**
 * When our reader has closed its end, the program's is closed too, so that it need not go on; its pipe is a socket to
 * Node, and so it may get ECONNRESET in the place of SIGPIPE.
 */
async function redactInto(from: Readable, texts: readonly string[], to: Output): Promise<void> {
  // Elsewhere the end of our reader ends this process, which here has a program to wait for.
  to.removeAllListeners("error").on("error", () => {});
  await pipeline(from, redactStream(texts), to, { end: false });
}
