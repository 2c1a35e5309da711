import { closeSync, writeSync } from "node:fs";
import { constants } from "node:os";
import type { ReadStream, WriteStream } from "node:tty";
import type { TuiTerminal } from "../../tui/terminal.js";
import { type CaughtSignal, catchSignals, isStopSignal } from "../signals.js";

/** The alternate buffer, no wrapping of lines, no cursor, and brackets around what is pasted. */
const ENTER = "\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[?2004h";
/** The opposite, and no colour. */
const LEAVE = "\x1b[0m\x1b[?2004l\x1b[?25h\x1b[?7h\x1b[?1049l";

/** A shell that stops us does so at once. Where none does, as with `xterm -e`, nobody will let us go on either. */
const STOPPED_BY_THEN_MS = 100;

const STDOUT = 1;

export interface ProcessTerminalOptions {
  input: ReadStream;
  /** Stdout. */
  output: WriteStream;
  /** Told of what nobody has caught, with the terminal given back; has to end the process. */
  onCrash: (error: unknown) => void;
}

/**
 * The terminal of this process, ours until `release` or the end of the process, whatever ends that: the shell's screen
 * is then as it was before.
 */
export class ProcessTerminal implements TuiTerminal {
  readonly input: ReadStream;
  readonly untilStopped: Promise<void>;
  readonly #output: WriteStream;
  readonly #onCrash: (error: unknown) => void;
  readonly #onCleared = new Set<() => void>();
  readonly #stopCatching: () => void;
  #isOurs = false;
  #isGone = false;
  #stoppedBy: CaughtSignal | undefined;
  #tellStopped = () => {};
  #callOffWaiting = () => {};

  constructor({ input, output, onCrash }: ProcessTerminalOptions) {
    this.input = input;
    this.#output = output;
    this.#onCrash = onCrash;
    this.untilStopped = new Promise((resolve) => {
      this.#tellStopped = resolve;
    });
    this.#stopCatching = catchSignals(this.#caught);
    process.on("exit", this.#end).on("uncaughtException", this.#crash);
    process.on("SIGTSTP", this.#suspended).on("SIGCONT", this.#takeBack);
    input.on("error", this.#lost).on("end", this.#lost);
    // Before who would tell of it on stderr: nobody is there to read that.
    output.prependListener("error", this.#lostAtOnce);
    this.#enter();
  }

  /** What the process is to exit with: 0, or 128 and the number of the signal that stopped it. */
  get exitCode(): number {
    return this.#stoppedBy ? 128 + constants.signals[this.#stoppedBy] : 0;
  }

  write(text: string): void {
    if (this.#isOurs) this.#output.write(text);
  }

  isBusy(): boolean {
    return this.#output.writableNeedDrain;
  }

  onDrain(listener: () => void): () => void {
    this.#output.on("drain", listener);
    return () => void this.#output.off("drain", listener);
  }

  size(): { columns: number; rows: number } {
    const { columns, rows } = this.#output;
    // A terminal that was never told its size, a serial line for one, says 0.
    return { columns: columns || 80, rows: rows || 24 };
  }

  onResize(listener: () => void): () => void {
    this.#output.on("resize", listener);
    return () => void this.#output.off("resize", listener);
  }

  onCleared(listener: () => void): () => void {
    this.#onCleared.add(listener);
    return () => void this.#onCleared.delete(listener);
  }

  suspend(): Promise<void> {
    this.#leave();
    const isBack = new Promise<void>((resolve) => {
      const stop = this.onCleared(() => {
        stop();
        resolve();
      });
    });
    let later: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      // After a SIGCONT that has come meanwhile, which does the same.
      later = setImmediate(this.#takeBack);
    }, STOPPED_BY_THEN_MS);
    this.#callOffWaiting = () => {
      clearTimeout(timer);
      clearImmediate(later);
    };
    process.off("SIGTSTP", this.#suspended);
    // To the whole group, as the terminal itself does: npx for one waits above us.
    process.kill(0, "SIGTSTP");
    return isBack;
  }

  /** Gives the terminal back for good. */
  release(): void {
    this.#callOffWaiting();
    this.#leave();
    this.#stopCatching();
    process.off("uncaughtException", this.#crash);
    process.off("SIGTSTP", this.#suspended).off("SIGCONT", this.#takeBack);
    this.input.pause().unref();
  }

  #enter(): void {
    this.#isOurs = true;
    // First: in the background it stops us, and nothing is written over what the shell shows.
    this.input.setRawMode(true);
    this.#output.write(ENTER);
  }

  readonly #leave = (): void => {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    try {
      // At once: the process may be at its end.
      writeSync(STDOUT, LEAVE);
    } catch {
      this.#isGone = true;
    }
    this.input.setRawMode(false);
  };

  readonly #end = (): void => {
    this.#leave();
    // Node gives terminals their modes back at its very end, and aborts when one that is still open is gone.
    if (this.#isGone) for (const stream of [0, 1, 2]) closeIfOpen(stream);
  };

  /** Whatever the shell has made of it meanwhile. */
  readonly #takeBack = (): void => {
    this.#callOffWaiting();
    process.off("SIGTSTP", this.#suspended).on("SIGTSTP", this.#suspended);
    this.input.setRawMode(false);
    this.#enter();
    // Another size was told to who had the terminal meanwhile: now it is looked at.
    process.kill(process.pid, "SIGWINCH");
    for (const listener of this.#onCleared) listener();
  };

  readonly #suspended = (): void => void this.suspend();

  readonly #caught = (signal: CaughtSignal): void => {
    if (!isStopSignal(signal)) return;
    // Who asks again does not want to wait.
    if (this.#stoppedBy) process.exit(this.exitCode);
    this.#stop(signal);
  };

  readonly #lost = (): void => this.#stop("SIGHUP");

  readonly #lostAtOnce = (): void => {
    this.#lost();
    process.exit(this.exitCode);
  };

  #stop(signal: CaughtSignal): void {
    this.#stoppedBy ??= signal;
    this.#tellStopped();
  }

  readonly #crash = (error: unknown): void => {
    this.#leave();
    this.#onCrash(error);
  };
}

function closeIfOpen(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // It was closed already.
  }
}
