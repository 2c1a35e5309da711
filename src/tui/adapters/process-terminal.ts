import { spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { writeSync } from "node:fs";
import { constants } from "node:os";
import type { ReadStream, WriteStream } from "node:tty";
import {
  catchSignals,
  comesFromTerminal,
  endProcess,
  isStopSignal,
} from "../../kit/process/signals.js";
import type { TuiTerminal } from "../terminal/frame-stream.js";

/** Alternate screen, no line wrapping, no cursor, bracketed paste. */
const ENTER = "\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[?2004h";
/** Reports of presses and the wheel, in decimal (SGR). */
const ENTER_MOUSE = "\x1b[?1000h\x1b[?1006h";
/** Reverses both, and resets colors. */
const LEAVE = "\x1b[0m\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?25h\x1b[?7h\x1b[?1049l";

/**
 * Resets terminal modes that a killed editor left on: insert mode, application
 * keys, mouse and focus reports, and the modes that `LEAVE` resets except for
 * the screen.
 */
const AFTER_PROGRAM =
  "\x1b[4l\x1b[?1l\x1b>\x1b[?1003l\x1b[?1002l\x1b[?1004l\x1b[0m\x1b[?2004l\x1b[?25h\x1b[?7h";

/**
 * How long to wait for a shell to stop this process. If none has by then, as
 * under `xterm -e`, nothing would continue the process either.
 */
const STOP_TIMEOUT_MS = 100;

export interface ProcessTerminalOptions {
  input: ReadStream;
  /** Stdout. */
  output: WriteStream;
  platform: NodeJS.Platform;
  /**
   * Whether the terminal reports the mouse. If so, selecting text with the
   * mouse needs Shift.
   */
  mouse: boolean;
  /**
   * Called with an uncaught error after the terminal is restored. Must end the
   * process.
   */
  onCrash: (error: unknown) => void;
}

/**
 * The terminal of this process. The shell's screen is restored by `release`,
 * and when the process ends for any reason.
 */
export class ProcessTerminal implements TuiTerminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly #options: ProcessTerminalOptions;
  readonly #events = new EventEmitter<{ cleared: []; ending: []; stopped: [] }>();
  readonly untilStopped = once(this.#events, "stopped").then(() => {});
  readonly #untilEnding = once(this.#events, "ending").then(() => {});
  readonly #stopCatching: () => void;
  #isOurs = false;
  #lending: Promise<unknown> | undefined;
  #isEnding = false;
  #stoppedBy: NodeJS.Signals | undefined;
  #cancelTimeout = () => {};

  constructor(options: ProcessTerminalOptions) {
    const { input, output } = options;
    this.input = input;
    this.output = output;
    this.#options = options;
    this.#stopCatching = catchSignals(this.#caught);
    process.on("exit", this.#leave).on("uncaughtException", this.#crash);
    process.on("SIGTSTP", this.suspend).on("SIGCONT", this.#takeBack);
    const lost = () => this.#stop("SIGHUP");
    input.on("error", lost).on("end", lost);
    // Runs before the listener that reports the error on stderr, where nobody
    // would see it.
    output.prependListener("error", () => {
      lost();
      endProcess(this.exitCode);
    });
    this.#enter();
  }

  /** The exit code of the process: 0, or 128+n after signal n. */
  get exitCode(): number {
    return this.#stoppedBy ? 128 + constants.signals[this.#stoppedBy] : 0;
  }

  write(text: string): void {
    if (this.#isOurs) this.output.write(text);
  }

  size(): { columns: number; rows: number } {
    const { columns, rows } = this.output;
    // A terminal without a known size, such as a serial line, reports 0.
    return { columns: columns || 80, rows: rows || 24 };
  }

  onCleared(listener: () => void): void {
    this.#events.on("cleared", listener);
  }

  readonly suspend = async (): Promise<void> => {
    // Windows has no job control.
    if (this.#options.platform === "win32") return;
    this.#leave();
    const isBack = once(this.#events, "cleared");
    let later: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      // Let a SIGCONT that has already arrived do this first.
      later = setImmediate(this.#takeBack);
    }, STOP_TIMEOUT_MS);
    this.#cancelTimeout = () => {
      clearTimeout(timer);
      clearImmediate(later);
    };
    process.off("SIGTSTP", this.suspend);
    // Stop the whole process group, as the terminal does, because the parent
    // may be npx.
    process.kill(0, "SIGTSTP");
    await isBack;
  };

  /**
   * Lends the terminal to another program while `use` runs it. Signals to the
   * process group are meant for that program, so Ctrl-C does not stop this
   * process, and Ctrl-Z and fg don't change the terminal.
   *
   * @param use must end the program once `untilTakenAway` resolves, which means
   *   that this process has to stop or has crashed
   */
  async lend<T>(use: (untilTakenAway: Promise<void>) => Promise<T>): Promise<T> {
    this.input.pause();
    this.#leave();
    const modes = this.#stty("-g");
    process.off("SIGTSTP", this.suspend).off("SIGCONT", this.#takeBack);
    try {
      this.#lending = use(this.#untilEnding);
      return (await this.#lending) as T;
    } finally {
      // libuv will take the current modes for those of the shell, so undo
      // changes that the program made.
      if (modes) this.#stty(modes);
      this.#writeAtOnce(AFTER_PROGRAM);
      this.#lending = undefined;
      if (!this.#isEnding) {
        process.on("SIGCONT", this.#takeBack);
        this.#takeBack();
        this.input.resume();
      }
    }
  }

  /**
   * Calls `listener` when the process ends, unless the returned function was
   * called before.
   */
  onExit(listener: () => void): () => void {
    process.once("exit", listener);
    return () => void process.off("exit", listener);
  }

  /** Restores the terminal for good. */
  release(): void {
    this.#cancelTimeout();
    this.#leave();
    this.#stopCatching();
    process.off("uncaughtException", this.#crash);
    process.off("SIGTSTP", this.suspend).off("SIGCONT", this.#takeBack);
    this.input.pause().unref();
  }

  #enter(): void {
    this.#isOurs = true;
    // Raw mode comes first: it stops a background process before it can write
    // over the shell's screen.
    this.input.setRawMode(true);
    this.output.write(this.#options.mouse ? ENTER + ENTER_MOUSE : ENTER);
  }

  /**
   * Calls stty(1), the only way to access modes that libuv did not set itself.
   * Returns `undefined` if stty is not available.
   */
  #stty(argument: string): string | undefined {
    if (this.#options.platform === "win32") return undefined;
    const { stdout, status } = spawnSync("stty", [argument], {
      stdio: ["inherit", "pipe", "ignore"],
    });
    return status === 0 ? String(stdout).trim() : undefined;
  }

  readonly #leave = (): void => {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    this.#writeAtOnce(LEAVE);
    this.input.setRawMode(false);
  };

  /** Writes synchronously, because the process may be about to end. */
  #writeAtOnce(text: string): void {
    try {
      writeSync(1, text);
    } catch {
      // The terminal is gone.
    }
  }

  /** Sets raw mode even if the shell has changed the modes. */
  readonly #takeBack = (): void => {
    this.#cancelTimeout();
    process.off("SIGTSTP", this.suspend).on("SIGTSTP", this.suspend);
    this.input.setRawMode(false);
    this.#enter();
    // Another process may have received the signal of a resize.
    if (this.#options.platform !== "win32") process.kill(process.pid, "SIGWINCH");
    this.#events.emit("cleared");
  };

  readonly #caught = (signal: NodeJS.Signals): void => {
    if (
      !isStopSignal(signal) ||
      (this.#lending && comesFromTerminal(signal, this.#options.platform))
    )
      return;
    // A second signal ends the process immediately. SIGHUP is an exception,
    // because the kernel and the shell can both send it for one closed
    // terminal.
    if (this.#stoppedBy && signal !== "SIGHUP") endProcess(this.exitCode);
    this.#stop(signal);
  };

  #stop(signal: NodeJS.Signals): void {
    this.#stoppedBy ??= signal;
    this.#isEnding = true;
    this.#events.emit("ending");
    this.#events.emit("stopped");
  }

  readonly #crash = (error: unknown): void => {
    this.#isEnding = true;
    this.#events.emit("ending");
    this.#leave();
    const report = () => this.#options.onCrash(error);
    // Wait for a running program, whose screen would hide the report.
    Promise.resolve(this.#lending).then(report, report);
  };
}
