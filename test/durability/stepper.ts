import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { type FsCall, withFsCalls } from "./fs-calls.js";

/**
 * Waits in a row after which a process is stopped: waiting for a stopped process would take
 * forever.
 */
const MAX_WAITS = 3;

/** A simulated machine, for processes that are stepped concurrently. Waits take no real time. */
export class World {
  /** Whether it has started again, after which all earlier processes are dead. */
  readonly isRestarted: boolean;
  /** Simulated milliseconds that have passed in addition to real time. */
  aheadMs = 0;

  constructor({ isRestarted = false } = {}) {
    this.isRestarted = isRestarted;
  }

  wait(ms: number): void {
    this.aheadMs += ms;
  }
}

/** A simulated process that is stopped before each file-system call that it may not make yet. */
export class Stepper {
  /** Its outcome; undefined while it runs. */
  outcome: { readonly error?: Error } | undefined;
  /** The number of calls that it has made. */
  calls = 0;
  readonly #name: string;
  readonly #world: World;
  readonly #start: () => Promise<unknown>;
  #started = false;
  #until = 0;
  #patience = 0;
  #underWay = 0;
  #stopped: (() => void)[] = [];
  #onRest = () => {};

  constructor(name: string, world: World, work: () => Promise<unknown>) {
    this.#name = name;
    this.#world = world;
    this.#start = () =>
      steppers.run(this, () => withFsCalls((call, proceed) => this.#around(call, proceed), work));
  }

  /** Milliseconds that its clock is ahead. */
  get aheadMs(): number {
    return this.#world.aheadMs;
  }

  /** Continues until it stops before call number `until`, has waited too often, or has ended. */
  async go(until = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.outcome) return;
    const rest = new Promise<void>((resolve) => {
      this.#onRest = resolve;
    });
    this.#until = until;
    this.#patience = MAX_WAITS;
    for (const goOn of this.#stopped.splice(0)) goOn();
    if (!this.#started) {
      this.#started = true;
      this.#start().then(
        () => this.#end({}),
        (error: Error) => this.#end({ error }),
      );
    }
    await rest;
  }

  async wait(ms: number): Promise<void> {
    this.#world.wait(ms);
    this.#patience--;
    while (this.#patience <= 0) await this.#stop();
  }

  #around(call: FsCall, proceed: () => unknown): unknown {
    const { path } = call;
    if (this.#world.isRestarted && path === "/proc/sys/kernel/random/boot_id")
      return `${this.#name}\n`;
    // No other process writes there, and synchronous calls can't be stopped.
    return path.startsWith("/proc/") || call.name.endsWith("Sync")
      ? proceed()
      : this.#step(call, proceed);
  }

  async #step({ name }: FsCall, proceed: () => unknown): Promise<unknown> {
    while (this.calls + 1 >= this.#until) await this.#stop();
    this.calls++;
    this.#underWay++;
    try {
      // Not needed without power cuts, and slow.
      return name === "sync" ? undefined : await proceed();
    } finally {
      this.#underWay--;
      if (this.#stopped.length > 0) this.#settle();
    }
  }

  async #stop(): Promise<void> {
    const goneOn = new Promise<void>((resolve) => {
      this.#stopped.push(resolve);
    });
    this.#settle();
    await goneOn;
  }

  /** Resolves once its concurrent calls have finished. */
  #settle(): void {
    if (this.#underWay === 0) this.#onRest();
  }

  #end(outcome: { error?: Error }): void {
    this.outcome = outcome;
    this.#onRest();
  }
}

const steppers = new AsyncLocalStorage<Stepper>();

const { setTimeout: wait } = timers;
timers.setTimeout = (async (ms: number, value: unknown, ...more: []) => {
  const stepper = steppers.getStore();
  if (!stepper) return wait(ms, value, ...more);
  await stepper.wait(ms);
  return value;
}) as typeof wait;
syncBuiltinESMExports();

const now = performance.now.bind(performance);
performance.now = () => now() + (steppers.getStore()?.aheadMs ?? 0);
