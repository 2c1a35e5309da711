import { createInterface, type Key } from "node:readline";
import { Writable } from "node:stream";
import type { Io } from "../output/io.js";
import { writeRaw } from "../output/output.js";
import { endBySignal } from "./signals.js";

/** Asks for a line, or for pasted lines, on a terminal that does not show it. Ctrl-C ends this process. */
export async function askHidden(question: string, { stdin, stderr }: Pick<Io, "stdin" | "stderr">): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const readline = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
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
