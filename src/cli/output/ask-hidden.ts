import { createInterface, type Key } from "node:readline";
import { endBySignal } from "../../kit/process/signals.js";
import type { Io } from "./context.js";
import { writeRaw } from "./output.js";

/**
 * Reads a line, or pasted lines, from a terminal without echo. Ctrl-C ends this
 * process.
 */
export async function askHidden(question: string, { stdin, stderr }: Io): Promise<string> {
  const readline = createInterface({ input: stdin, terminal: true, historySize: 0 });
  const lines: string[] = [];
  let isPasting = false;
  stdin.on("keypress", (_text, { name }: Key) => {
    if (name === "paste-start" || name === "paste-end") isPasting = name === "paste-start";
  });
  // The terminal then marks where a paste begins and ends.
  const ask = () => writeRaw(stderr, `${question}\u001b[?2004h`);
  ask();
  readline.on("SIGCONT", () => readline.resume()).on("SIGCONT", ask);
  const isAnswered = await new Promise((resolve) => {
    readline.on("line", (line) => {
      lines.push(line);
      if (!isPasting) resolve(true);
    });
    readline.on("close", () => resolve(true)).on("SIGINT", () => resolve(false));
  });
  readline.close();
  await new Promise<void>((resolve) => writeRaw(stderr, "\u001b[?2004l\n", resolve));
  if (!isAnswered) endBySignal("SIGINT");
  return lines.join("\n");
}
