import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "../../kit/process/child.js";
import { supervise } from "../../kit/process/supervise.js";
import { valueText } from "../../model/variable.js";
import type { Caller } from "../surroundings.js";
import type { ChildVariables } from "./child-environment.js";

/** A change must last this long, so that a burst of edits is one change. */
export const SETTLE_MS = 500;

export interface WatchRules {
  /** Seconds from one reading to the next. */
  interval: number;
  /** Restarts the program or sends it this signal. */
  onChange: "restart" | NodeJS.Signals;
}

export async function runWatched(
  initial: ChildVariables,
  read: () => Promise<ChildVariables>,
  start: (changed: ChildVariables) => Child,
  { interval, onChange }: WatchRules,
  { note }: Caller,
): Promise<number> {
  const program = supervise(initial, start);
  const ended = new AbortController();
  const watching = watchVariables(initial, {
    read,
    interval: interval * 1_000,
    wait: (milliseconds) => sleep(milliseconds, undefined, { signal: ended.signal }),
    onChange: (names, changed) => {
      const action = onChange === "restart" ? "restarting the program" : `sending ${onChange}`;
      note(`changed: ${names.join(", ")}; ${action}`);
      if (onChange === "restart") program.restart(changed);
      else program.signal(onChange);
    },
    onProblem: (error) =>
      note(
        error
          ? `can't read the variables; the program keeps running with the old ones: ${error.message}`
          : "the variables can be read again",
      ),
  });
  // Rejects once the program has ended.
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
  /** Rejects to end the watch. */
  wait: (milliseconds: number) => Promise<void>;
  /** Called with the sorted names of added, removed and changed variables. */
  onChange: (names: string[], changed: ChildVariables) => void;
  /**
   * Called with the error when reading begins to fail, and with `undefined`
   * when it works again.
   */
  onProblem: (error: Error | undefined) => void;
}

/** Looks for changes since `initial`, until `wait` rejects. */
export async function watchVariables(
  initial: ChildVariables,
  options: WatchOptions,
): Promise<never> {
  const read = reportingProblems(options);
  let current = initial;
  for (;;) {
    await options.wait(options.interval);
    const settled = await readSettled(current, read, options.wait);
    if (!settled) continue;
    options.onChange(changedNames(current, settled), settled);
    current = settled;
  }
}

function changedNames(before: ChildVariables, after: ChildVariables): string[] {
  const [old, current] = [textsByName(before), textsByName(after)];
  const names = new Set([...old.keys(), ...current.keys()]);
  return [...names].filter((name) => old.get(name) !== current.get(name)).sort();
}

function textsByName({ variables }: ChildVariables): ReadonlyMap<string, string> {
  return new Map(variables.map(({ name, value }) => [name, valueText(value)]));
}

/**
 * Resolves to the change once two reads in a row agree; to `undefined` without
 * a change or when reading fails.
 */
async function readSettled(
  current: ChildVariables,
  read: () => Promise<ChildVariables | undefined>,
  wait: WatchOptions["wait"],
): Promise<ChildVariables | undefined> {
  let last = await read();
  while (last && changedNames(current, last).length > 0) {
    await wait(SETTLE_MS);
    const next = await read();
    if (next && changedNames(last, next).length === 0) return next;
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
