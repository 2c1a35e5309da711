import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { start } from "./binary.js";

/** A program on a terminal of its own. */
export interface Terminal {
  /** Presses keys. */
  type(keys: string): void;
  /** Resolves once the terminal has shown this, after what was waited for before. */
  until(pattern: RegExp): Promise<void>;
}

/** Runs a command of the shell on a terminal, with `script` of util-linux. */
export function terminal(command: string, env: Record<string, string>): Terminal {
  const child = start("script", ["-qfc", command, "/dev/null"], { TERM: "xterm", LANG: "C.UTF-8", ...env });
  let shown = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  return {
    type: (keys) => void child.stdin?.write(keys),
    until: async (pattern) => {
      const text = () => stripVTControlCharacters(shown);
      await expect.poll(text, { timeout: 20_000 }).toMatch(pattern);
      shown = "";
    },
  };
}
