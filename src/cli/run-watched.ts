import { setTimeout as delay } from "node:timers/promises";
import { valueText } from "../domain/variable.js";
import type { Child } from "./child.js";
import type { ChildVariables } from "./child-variables.js";
import type { Context } from "./context.js";
import { schedule } from "./schedule.js";
import { catchSignals } from "./signals.js";
import { supervise } from "./supervise.js";
import { watchVariables } from "./watch-variables.js";

export interface WatchRules {
  /** Seconds from one look to the next. */
  interval: number;
  /** Starts the program anew, or sends it this signal. */
  onChange: "restart" | NodeJS.Signals;
}

/**
 * Runs a program, and acts when the variables that it has change.
 *
 * @returns the exit code of the program once it has ended on its own, or because we were asked to stop
 */
export async function runWatched(
  initial: ChildVariables,
  read: () => Promise<ChildVariables>,
  start: (found: ChildVariables) => Child,
  { interval, onChange }: WatchRules,
  { note }: Context,
): Promise<number> {
  // Before the program's own, so that what it has started is known by the time that it ends.
  const release = catchSignals((name) => program.onSignal(name));
  const program = supervise(initial, start, schedule);
  const ended = new AbortController();
  const watching = watchVariables(initial, {
    read,
    textsOf: ({ variables }) => new Map(variables.map(({ name, value }) => [name, valueText(value)])),
    interval: interval * 1_000,
    wait: (milliseconds) => delay(milliseconds, undefined, { signal: ended.signal }),
    onChange: (names, found) => {
      const isRestart = onChange === "restart";
      note(`changed: ${names.join(", ")}; ${isRestart ? "restarting the program" : `sending ${onChange}`}`);
      if (isRestart) program.restart(found);
      else program.signal(onChange);
    },
    onProblem: (error) => note(error ? problemText(error) : "the variables can be read again"),
  });
  // It ends with an abort once the program has ended.
  watching.catch(() => {});
  try {
    return await program.exitCode;
  } finally {
    ended.abort();
    release();
  }
}

function problemText({ message }: Error): string {
  return `the variables can't be read now, the program goes on with those it has: ${message}`;
}
