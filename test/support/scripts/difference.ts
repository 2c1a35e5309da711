import type { ExpectedLine, Line } from "./parse-script.js";
import { matchesLine, writeLine } from "./placeholders.js";
import type { Output } from "./session.js";

export interface Difference {
  isSame: boolean;
  /** For people: missing lines with `-`, unexpected ones with `+`, the rest with a space. */
  shown: string[];
  /** The output as lines of a script. Expected lines stay as they were. */
  lines: string[];
}

/** Compares the actual output with the expected one. */
export function difference(
  expected: readonly ExpectedLine[],
  output: Output,
  folder: string,
): Difference {
  const actual = toLines(output);
  const matches = (e: number, a: number) => {
    const [wanted, got] = [expected[e], actual[a]];
    return wanted !== undefined && got !== undefined && matchesLine(wanted, got, folder);
  };
  const shorter = Math.min(expected.length, actual.length);
  let head = 0;
  while (head < shorter && matches(head, head)) head++;
  let tail = 0;
  while (tail < shorter - head && matches(expected.length - 1 - tail, actual.length - 1 - tail))
    tail++;
  const source = expected.map((line) => line.source);
  const [before, gone, after] = [
    source.slice(0, head),
    source.slice(head, source.length - tail),
    source.slice(source.length - tail),
  ];
  const come = actual.slice(head, actual.length - tail).map((line) => writeLine(line, folder));
  const lines = [...before, ...come, ...after];
  // An empty line at the end would only separate.
  if (lines.at(-1) === "") lines.push(`${lines.pop()}\\`);
  const mark = (sign: string, texts: string[]) => texts.map((text) => `  ${sign} ${text}`);
  return {
    isSame: gone.length === 0 && come.length === 0,
    shown: [...mark(" ", before), ...mark("-", gone), ...mark("+", come), ...mark(" ", after)],
    lines,
  };
}

function toLines({ stdout, stderr, code }: Output): Line[] {
  const split = (stream: Line["stream"], text: string): Line[] => {
    if (text === "") return [];
    const whole = text.endsWith("\n") ? text.slice(0, -1) : `${text}<no newline>`;
    return whole.split("\n").map((line) => ({ stream, text: line }));
  };
  const exit = code ? split("exit", `${code}\n`) : [];
  return [...split("stdout", stdout), ...split("stderr", stderr), ...exit];
}
