import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { start } from "./binary.js";

/** A program on its own terminal. */
export interface Terminal {
  /** Presses keys. */
  type(keys: string): void;
  /** Resolves once the terminal shows this, after the previous match. */
  until(pattern: RegExp): Promise<void>;
  /** All that was written to it so far, control sequences too. */
  written(): string;
  /** The exit code of the command. */
  readonly exitCode: Promise<number | null>;
  /** Closes the terminal, as when its window is closed. */
  close(): void;
}

/** Runs a command of the shell on a terminal, with `script` of util-linux. */
export function terminal(command: string, env: Record<string, string>): Terminal {
  const child = start("script", ["-qefc", command, "/dev/null"], {
    TERM: "xterm",
    LANG: "C.UTF-8",
    ...env,
  });
  let shown = "";
  let written = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    written += text;
  });
  return {
    type: (keys) => void child.stdin?.write(keys),
    until: async (pattern) => {
      const text = () => stripVTControlCharacters(shown);
      await expect.poll(text, { timeout: 20_000 }).toMatch(pattern);
      shown = "";
    },
    written: () => written,
    exitCode: once(child, "close").then(([code]) => code),
    close: () => void child.kill("SIGKILL"),
  };
}
