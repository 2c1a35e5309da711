import { isAbsolute } from "node:path";

/** One expected line: of stdout, of stderr, or the exit code, which has no line when it is 0. */
export interface Line {
  stream: "stdout" | "stderr" | "exit";
  /** Without its marker. */
  text: string;
}

/** A line as a script has it. */
export interface ExpectedLine extends Line {
  /** The whole line of the script. */
  source: string;
  /** Whether a backslash says that nothing in it is a placeholder. */
  literal: boolean;
}

/** A command or a signal, and its expected output. */
export interface Step {
  /** `run` in the shell, `start` in the background, or `stop` the program started last. */
  kind: "run" | "start" | "stop";
  /** The text for the shell; for `stop` the line itself. */
  command: string;
  /** Number of its first line, from 1. */
  line: number;
  /** Index of the first line of `expected`, from 0. */
  bodyStart: number;
  expected: ExpectedLine[];
}

export interface Script {
  steps: Step[];
  /** Files to write before the start, by their path in the script's folder. */
  files: Map<string, string>;
}

/** Thrown for a script that breaks a rule of test/scripts/README.md. */
export class ScriptError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
  }
}

/** The signals of the lines that stop a program in the background. */
export const STOP_SIGNALS: Record<string, NodeJS.Signals> = { "^C": "SIGINT", "^TERM": "SIGTERM" };

const FILE_LINE = /^-- (\S+) --$/;

/** Parses the format of test/scripts/README.md. @throws ScriptError */
export function parseScript(text: string): Script {
  const lines = text.replace(/\n$/, "").split("\n");
  const end = lines.findIndex((line) => FILE_LINE.test(line));
  const steps = parseSteps(end < 0 ? lines : lines.slice(0, end));
  if (steps.length === 0) throw new ScriptError(1, "there is no command in it");
  checkStops(steps);
  return { steps, files: end < 0 ? new Map() : parseFiles(lines, end) };
}

function parseSteps(lines: readonly string[]): Step[] {
  const steps: Step[] = [];
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] ?? "";
    if (line === "" || line.startsWith("#")) {
      index++;
      continue;
    }
    const step = parseStep(lines, index);
    steps.push(step);
    index = step.bodyStart + step.expected.length;
  }
  return steps;
}

function parseStep(lines: readonly string[], index: number): Step {
  const first = lines[index] ?? "";
  if (!startsStep(first)) throw new ScriptError(index + 1, "output that belongs to no command");
  const command = [Object.hasOwn(STOP_SIGNALS, first) ? first : first.slice(2)];
  if (command[0]?.trim() === "")
    throw new ScriptError(index + 1, "there is no command on this line");
  let bodyStart = index + 1;
  for (; /^>( |$)/.test(lines[bodyStart] ?? ""); bodyStart++)
    command.push((lines[bodyStart] ?? "").slice(2));
  const kind = first.startsWith("$") ? "run" : first.startsWith("&") ? "start" : "stop";
  return {
    kind,
    command: command.join("\n"),
    line: index + 1,
    bodyStart,
    expected: parseBody(lines, bodyStart),
  };
}

/**
 * The expected output ends at the next command or comment; the empty lines before that only
 * separate.
 */
function parseBody(lines: readonly string[], start: number): ExpectedLine[] {
  let end = start;
  while (end < lines.length && !startsStep(lines[end] ?? "") && !lines[end]?.startsWith("#")) end++;
  while (end > start && lines[end - 1] === "") end--;
  const body = lines.slice(start, end).map(parseLine);
  const order = ["stdout", "stderr", "exit"];
  body.forEach(({ stream, text }, i) => {
    const before = body[i - 1]?.stream ?? "stdout";
    if (order.indexOf(stream) < order.indexOf(before) || before === "exit")
      throw new ScriptError(start + i + 1, "the order is stdout, then stderr, then the exit code");
    if (stream === "exit" && !(Number(text) >= 1 && Number(text) <= 255))
      throw new ScriptError(start + i + 1, "an exit code is from 1 to 255; there is no line for 0");
  });
  return body;
}

function parseLine(source: string): ExpectedLine {
  const code = /^\[(\d+)\]$/.exec(source)?.[1];
  if (code !== undefined) return { stream: "exit", text: code, source, literal: true };
  const isStderr = /^!( |$)/.test(source);
  const text = isStderr ? source.slice(2) : source;
  const literal = text.startsWith("\\");
  return {
    stream: isStderr ? "stderr" : "stdout",
    text: literal ? text.slice(1) : text,
    source,
    literal,
  };
}

/** Whether a line is a command or a signal. */
export function startsStep(line: string): boolean {
  return /^[$&]( |$)/.test(line) || Object.hasOwn(STOP_SIGNALS, line);
}

function checkStops(steps: readonly Step[]): void {
  let running = 0;
  for (const { kind, line, command } of steps) {
    if (kind === "start") running++;
    if (kind === "stop" && running-- === 0)
      throw new ScriptError(line, `there is nothing for ${command} to stop`);
  }
}

function parseFiles(lines: readonly string[], start: number): Map<string, string> {
  const files = new Map<string, string>();
  let name = "";
  for (const [index, line] of lines.entries()) {
    if (index < start) continue;
    const next = FILE_LINE.exec(line)?.[1];
    if (next !== undefined) {
      checkFileName(next, files, index + 1);
      name = next;
    }
    files.set(name, next === undefined ? `${files.get(name)}${line}\n` : "");
  }
  return files;
}

function checkFileName(name: string, files: ReadonlyMap<string, string>, line: number): void {
  if (isAbsolute(name) || name.split("/").includes(".."))
    throw new ScriptError(line, `${name} is outside the script's folder`);
  if (files.has(name)) throw new ScriptError(line, `${name} is there twice`);
}
