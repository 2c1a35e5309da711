import { spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { writeSync } from "node:fs";
import { constants } from "node:os";
import type { ReadStream, WriteStream } from "node:tty";
import { endProcess } from "../../kit/process/end-process.js";
import { catchSignals, comesFromTerminal, isStopSignal } from "../../kit/process/signals.js";
import type { TuiTerminal } from "../terminal/frame-stream.js";

/** Alternate screen, no line wrapping, no cursor, bracketed paste. */
const ENTER = "\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[?2004h";
/** Reports of presses and of the wheel, as numbers in decimal (SGR). */
const ENTER_MOUSE = "\x1b[?1000h\x1b[?1006h";
/** The reverse of both, and no colors. */
const LEAVE = "\x1b[0m\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?25h\x1b[?7h\x1b[?1049l";

/**
 * Undoes the leftovers of a killed editor: insert mode, application keys, reports of the mouse and
 * of the focus, and those that `LEAVE` resets, without the screen.
 */
const AFTER_PROGRAM =
  "\x1b[4l\x1b[?1l\x1b>\x1b[?1003l\x1b[?1002l\x1b[?1004l\x1b[0m\x1b[?2004l\x1b[?25h\x1b[?7h";

/**
 * A shell stops us immediately. If nothing has stopped us by then, as under `xterm -e`, nothing
 * will continue us.
 */
const STOP_TIMEOUT_MS = 100;

export interface ProcessTerminalOptions {
  input: ReadStream;
  /** Stdout. */
  output: WriteStream;
  platform: NodeJS.Platform;
  /** Whether the terminal is to report the mouse, which then selects text only with Shift. */
  mouse: boolean;
  /** Called with an uncaught error, after the terminal is restored; has to end the process. */
  onCrash: (error: unknown) => void;
}

/**
 * The terminal of this process. `release`, or the end of the process for any reason, restores the
 * shell's screen.
 */
export class ProcessTerminal implements TuiTerminal {
  readonly input: ReadStream;
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
    this.#options = options;
    this.#stopCatching = catchSignals(this.#caught);
    process.on("exit", this.#leave).on("uncaughtException", this.#crash);
    process.on("SIGTSTP", this.suspend).on("SIGCONT", this.#takeBack);
    const lost = () => this.#stop("SIGHUP");
    input.on("error", lost).on("end", lost);
    // Before the listener that reports it on stderr, where nobody reads it.
    output.prependListener("error", () => {
      lost();
      endProcess(this.exitCode);
    });
    this.#enter();
  }

  /** The exit code for the process: 0, or 128+n after signal n. */
  get exitCode(): number {
    return this.#stoppedBy ? 128 + constants.signals[this.#stoppedBy] : 0;
  }

  write(text: string): void {
    if (this.#isOurs) this.#options.output.write(text);
  }

  isBusy(): boolean {
    return this.#options.output.writableNeedDrain;
  }

  onceDrained(listener: () => void): void {
    this.#options.output.once("drain", listener);
  }

  size(): { columns: number; rows: number } {
    const { columns, rows } = this.#options.output;
    // A terminal without a known size, such as a serial line, reports 0.
    return { columns: columns || 80, rows: rows || 24 };
  }

  onResize(listener: () => void): void {
    this.#options.output.on("resize", listener);
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
      // After a SIGCONT that may have arrived, which does the same.
      later = setImmediate(this.#takeBack);
    }, STOP_TIMEOUT_MS);
    this.#cancelTimeout = () => {
      clearTimeout(timer);
      clearImmediate(later);
    };
    process.off("SIGTSTP", this.suspend);
    // To the whole process group, as the terminal does: npx, for example, is our parent.
    process.kill(0, "SIGTSTP");
    await isBack;
  };

  /**
   * Gives the terminal to another program while `use` runs it. Signals to the process group are
   * meant for that program: Ctrl-C does not stop this process, and Ctrl-Z and fg don't touch the
   * terminal.
   *
   * @param use is to end the program once `untilTakenAway` resolves: when this process is to stop,
   *   or has crashed
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
      // libuv takes the modes that it finds now for those of the shell, and the program may have
      // changed them.
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
    // First: it stops a background process before that writes over the shell's screen.
    this.input.setRawMode(true);
    this.#options.output.write(this.#options.mouse ? ENTER + ENTER_MOUSE : ENTER);
  }

  /**
   * Calls stty(1), the only way to the modes that libuv did not set itself. Undefined where there
   * is none.
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

  /** Synchronously: the process may be ending. */
  #writeAtOnce(text: string): void {
    try {
      writeSync(1, text);
    } catch {
      // It is gone.
    }
  }

  /** Sets raw mode even if the shell has changed the modes. */
  readonly #takeBack = (): void => {
    this.#cancelTimeout();
    process.off("SIGTSTP", this.suspend).on("SIGTSTP", this.suspend);
    this.input.setRawMode(false);
    this.#enter();
    // A resize may have been reported to another process.
    if (this.#options.platform !== "win32") process.kill(process.pid, "SIGWINCH");
    this.#events.emit("cleared");
  };

  readonly #caught = (signal: NodeJS.Signals): void => {
    if (
      !isStopSignal(signal) ||
      (this.#lending && comesFromTerminal(signal, this.#options.platform))
    )
      return;
    // A second signal ends the process immediately. The kernel and the shell both report one closed
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
    // Another program would show its screen over the report.
    Promise.resolve(this.#lending).then(report, report);
  };
}
