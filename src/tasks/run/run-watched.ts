import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Child } from "../../kit/process/child.js";
import { supervise } from "../../kit/process/supervise.js";
import { valueText } from "../../model/variable.js";
import type { Messages } from "../surroundings.js";
import type { ChildVariables } from "./child-environment.js";

/** A change is reported once it has lasted this long, so a burst of edits is one change. */
export const SETTLE_MS = 500;

export interface WatchRules {
  /** Seconds from one reading to the next. */
  interval: number;
  /** Restarts the program or sends it this signal. */
  onChange: "restart" | NodeJS.Signals;
}

/**
 * Runs a program, and acts when its variables change.
 *
 * @returns the exit code of the program once it has exited, on its own or because we were asked to
 *   stop
 */
export async function runWatched(
  initial: ChildVariables,
  read: () => Promise<ChildVariables>,
  start: (changed: ChildVariables) => Child,
  { interval, onChange }: WatchRules,
  { note }: Messages,
): Promise<number> {
  const program = supervise(initial, start);
  const ended = new AbortController();
  const watching = watchVariables(initial, {
    read,
    interval: interval * 1_000,
    wait: (milliseconds) => sleep(milliseconds, undefined, { signal: ended.signal }),
    onChange: (names, changed) => {
      const isRestart = onChange === "restart";
      note(
        `changed: ${names.join(", ")}; ${isRestart ? "restarting the program" : `sending ${onChange}`}`,
      );
      if (isRestart) program.restart(changed);
      else program.signal(onChange);
    },
    onProblem: (error) =>
      note(
        error
          ? `can't read the variables, the program keeps running with the old ones: ${error.message}`
          : "the variables can be read again",
      ),
  });
  // It rejects once the program has ended.
  watching.catch(() => {});
  try {
    return await program.exitCode;
  } finally {
    ended.abort();
  }
}

export interface WatchOptions {
  read(): Promise<ChildVariables>;
  /** Milliseconds from one reading to the next. */
  interval: number;
  /** Resolves after this many milliseconds; rejects to end the watch. */
  wait: (milliseconds: number) => Promise<void>;
  /**
   * Called with the names that were added, removed or changed, in order, and with the read values.
   */
  onChange: (names: string[], changed: ChildVariables) => void;
  /** Called with the error when reading begins to fail, and with undefined when it works again. */
  onProblem: (error: Error | undefined) => void;
}

/** Looks for changes since `initial`, until `wait` rejects. */
export async function watchVariables(
  initial: ChildVariables,
  options: WatchOptions,
): Promise<never> {
  const read = reportingProblems(options);
  let current = textsOf(initial);
  for (;;) {
    await options.wait(options.interval);
    const settled = await readSettled(current, read, options.wait);
    if (!settled) continue;
    const names = changedNames(current, textsOf(settled));
    current = textsOf(settled);
    if (names.length > 0) options.onChange(names, settled);
  }
}

type Texts = ReadonlyMap<string, string>;

/** A difference in these is a change. */
function textsOf({ variables }: ChildVariables): Texts {
  return new Map(variables.map(({ name, value }) => [name, valueText(value)]));
}

function changedNames(before: Texts, after: Texts): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

/**
 * Resolves to the change once two reads in a row agree; to `undefined` without a change or when
 * reading fails.
 */
async function readSettled(
  current: Texts,
  read: () => Promise<ChildVariables | undefined>,
  wait: WatchOptions["wait"],
): Promise<ChildVariables | undefined> {
  let last = await read();
  while (last && !isDeepStrictEqual(textsOf(last), current)) {
    await wait(SETTLE_MS);
    const next = await read();
    if (next && isDeepStrictEqual(textsOf(next), textsOf(last))) return next;
    last = next;
  }
  return undefined;
}

function reportingProblems({
  read,
  onProblem,
}: WatchOptions): () => Promise<ChildVariables | undefined> {
  let hasFailed = false;
  return async () => {
    try {
      const result = await read();
      if (hasFailed) onProblem(undefined);
      hasFailed = false;
      return result;
    } catch (error) {
      if (!hasFailed) onProblem(error as Error);
      hasFailed = true;
      return undefined;
    }
  };
}
