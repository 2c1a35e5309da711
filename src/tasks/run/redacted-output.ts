import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "../../kit/process/child.js";
import { nameIn } from "../../kit/process/program.js";
import { catchSignals, isStopSignal } from "../../kit/process/signals.js";
import { type ChildVariables, CREDENTIAL_VARIABLES } from "./child-environment.js";
import type { RunCaller } from "./prepare-variables.js";
import { redactedTexts } from "./redacted-texts.js";
import { redactStream } from "./redactor.js";

/** The longest wait for processes that a stopped program left running. */
const FLUSH_MS = 2_000;

/** Errors once our reader has closed its end. Windows reports EOF. */
const CLOSED_CODES = ["EPIPE", "EOF", "ERR_STREAM_PREMATURE_CLOSE"];

export function createRedactedOutput({ surroundings, io, note, warn }: RunCaller) {
  const sources: Readable[] = [];
  const written: Promise<void>[] = [];
  let isStopping = false;
  let release: (() => void) | undefined;
  return {
    /** Copies the output of a program that has just started, redacted. */
    redact(child: Child, passed: ChildVariables): void {
      release ??= catchSignals((signal) => {
        isStopping ||= isStopSignal(signal);
      });
      const inherited = inheritedSecrets(passed, surroundings.platform);
      const { texts, tooShort } = redactedTexts([...passed.variables, ...inherited]);
      if (tooShort.length > 0)
        note(`not redacted, the values are too short: ${tooShort.join(", ")}`);
      for (const name of ["stdout", "stderr"] as const) {
        const from = child[name];
        if (!from) continue;
        sources.push(from);
        const report = ({ code = "" }: NodeJS.ErrnoException) => {
          if (!CLOSED_CODES.includes(code)) warn(`can't write to ${name} (${code})`);
        };
        written.push(redactInto(from, texts, io[name]).catch(report));
      }
    },
    /**
     * Resolves once all output is written, including the output of processes
     * that the programs left running. After a signal to stop, these have 2 s.
     */
    async finish(): Promise<void> {
      release?.();
      const all = Promise.all(written);
      if (isStopping) {
        await Promise.race([all, sleep(FLUSH_MS, undefined, { ref: false })]);
        for (const source of sources) source.destroy();
      }
      await all;
    },
  };
}

function inheritedSecrets({ env, setElsewhere }: ChildVariables, platform: NodeJS.Platform) {
  return [...CREDENTIAL_VARIABLES, ...setElsewhere].flatMap((variable) => {
    const name = nameIn(env, variable, platform);
    return name === undefined ? [] : [{ name, value: env[name] ?? "" }];
  });
}

/** Closes the program's output when our reader has closed its end. */
async function redactInto(from: Readable, texts: readonly string[], to: Writable): Promise<void> {
  // The other listener ends this process, which waits for the program.
  to.removeAllListeners("error").on("error", () => {});
  await pipeline(from, redactStream(texts), to, { end: false });
}
