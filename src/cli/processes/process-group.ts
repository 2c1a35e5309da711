import { isatty } from "node:tty";
import { readProcessStat } from "../../files/process-stat.js";
import { isInForeground } from "./signals.js";

// Found out at the start: later, a shell can move this process to the background or to the foreground.
const stat = readProcessStat("self");
const isForeground = isInForeground(stat);

/**
 * Whether programs get a process group of their own, and so hear of a signal to our group only through us. Not in the
 * foreground of a terminal, where a program in another group could not use the terminal. But timeout(1) that is started
 * from a prompt is in the foreground, and signals us and then its group, which is ours.
 */
export const HAS_OWN_GROUP = !isForeground || (stat !== undefined && readProcessStat(stat.group)?.name === "timeout");

/** In a session of its own, a program in the background would take input for the shell. */
export const STDIN = !isForeground && isatty(0) ? "ignore" : "inherit";

/** The process group of a program in which it is the first. Until `release`, Ctrl-Z stops it with us, and `fg` continues it. */
export function programGroup(first: number) {
  let timer: NodeJS.Timeout | undefined;
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-first, name);
    } catch {
      // Nothing is left of it, or it runs as another user.
    }
  };
  const stop = () => {
    signal("SIGTSTP");
    // After its handler: without one, the kernel ignores it, since the program has no parent in its session.
    timer = setTimeout(() => {
      signal("SIGSTOP");
      process.kill(process.pid, "SIGSTOP");
    }, 100);
  };
  const proceed = () => {
    clearTimeout(timer);
    signal("SIGCONT");
  };
  process.on("SIGTSTP", stop).on("SIGCONT", proceed);
  const release = () => {
    clearTimeout(timer);
    process.off("SIGTSTP", stop).off("SIGCONT", proceed);
  };
  return { signal, release };
}
