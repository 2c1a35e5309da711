import { isatty } from "node:tty";
import { readProcessStat } from "../../files/process-stat.js";
import { isInForeground } from "./signals.js";

// Found out at the start: later, a shell can move this process to the background or to the foreground.
const isForeground = isInForeground();

/**
 * Whether programs get a process group of their own, and so hear of a signal to our group only through us. Not in the
 * foreground of a terminal, where a program in another group could not use the terminal.
 */
export const HAS_OWN_GROUP = !isForeground || isUnderTimeout();

/** In a session of its own, a program in the background would take what is typed for the shell. */
export const STDIN = !isForeground && isatty(0) ? "ignore" : "inherit";

/** Started from a prompt, timeout(1) is in the foreground, and signals us and then its group, which is ours. */
function isUnderTimeout(): boolean {
  const { pid, group } = readProcessStat("self") ?? {};
  return group !== undefined && group !== pid && readProcessStat(group)?.name === "timeout";
}

/** A handler of SIGTSTP has this long to clean up. */
const STOP_MS = 100;

/** The process group of a program in which it is the first. */
export class ProgramGroup {
  readonly #pid: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(pid: number) {
    this.#pid = pid;
    process.on("SIGTSTP", this.#stop).on("SIGCONT", this.#continue);
  }

  signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.#pid, name);
    } catch {
      // Nothing is left of it, or it runs as another user.
    }
  }

  /** Ends what Ctrl-Z and `fg` do to it. */
  release(): void {
    clearTimeout(this.#timer);
    process.off("SIGTSTP", this.#stop).off("SIGCONT", this.#continue);
  }

  /** Stops it, and then us. The kernel ignores SIGTSTP here unless it is handled, since our session is another one. */
  readonly #stop = (): void => {
    this.signal("SIGTSTP");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.signal("SIGSTOP");
      process.kill(process.pid, "SIGSTOP");
    }, STOP_MS);
  };

  readonly #continue = (): void => {
    clearTimeout(this.#timer);
    this.signal("SIGCONT");
  };
}
