import type { RetryNotice } from "../client/retry.js";
import { escapeControls } from "../domain/escape-controls.js";
import type { VariableSource } from "../domain/source.js";
import { type Colors, colorsFor } from "./colors.js";
import type { Io } from "./io.js";
import type { OpenOptions } from "./open-remote.js";
import type { SourceFlags } from "./settings.js";

/** The flags that every command has. */
export interface OutputFlags {
  json?: true;
  quiet?: true;
  verbose?: true;
  /** False with `--no-color`. */
  color: boolean;
}

/** How a command uses a source. */
interface SourceOptions extends Pick<OpenOptions, "anonymous" | "live"> {
  /** What `--cache` parses to: most seconds that an answer from the cache may be old. */
  cache?: number | undefined;
}

/** What a command works with, beside its own options. */
export interface Context {
  io: Io;
  flags: OutputFlags;
  /** Opens the source that the command's flags and the environment name. */
  openSource(flags: SourceFlags, options?: SourceOptions): Promise<VariableSource>;
  /** Writes to stdout. */
  print(text: string): void;
  printJson(value: unknown): void;
  /** Tells a person something on stderr, unless `--quiet`, or `--json`, which stderr follows too. */
  note(text: string): void;
  /** Tells what must not go unnoticed, with `--quiet` too; with `--json` as a line `{"warning": {"message"}}`. */
  warn(text: string): void;
  /** Tells a person that something was done: only a terminal is told, a script sees the exit code. */
  tell(text: string): void;
  colors(): Promise<Colors>;
  /** What the command exits with when it does not fail: 0 unless it is set. */
  exitCode: number;
}

/** @param readFlags called once the command line has been parsed */
export function createContext(io: Io, readFlags: () => OutputFlags): Context {
  const note = (text: string) => {
    if (!readFlags().quiet && !readFlags().json) io.stderr.write(`appvars: ${escapeControls(text)}\n`);
  };
  const warn = (text: string) => {
    const line = readFlags().json ? JSON.stringify({ warning: { message: text } }) : `appvars: ${escapeControls(text)}`;
    io.stderr.write(`${line}\n`);
  };
  return {
    io,
    get flags() {
      return readFlags();
    },
    note,
    warn,
    tell: (text) => {
      if (io.stderr.isTTY) note(text);
    },
    exitCode: 0,
    print: (text) => void io.stdout.write(text),
    printJson: (value) => void io.stdout.write(`${JSON.stringify(value)}\n`),
    colors: () => colorsFor(io.stdout, io.env, readFlags().color),
    openSource: async (sourceFlags, { cache: maxAge, ...options } = {}) => {
      const { openSource } = await import("./open-source.js");
      const cache = maxAge === undefined ? undefined : { maxAge, warn };
      return openSource(sourceFlags, io, { ...options, cache, ...noteExchanges(note, readFlags, options) });
    },
  };
}

/** Tells a person why the client tries again and, with `--verbose`, of each request. */
export function noteExchanges(
  note: Context["note"],
  readFlags: () => OutputFlags,
  { live = false }: Pick<OpenOptions, "live"> = {},
): Pick<OpenOptions, "onRetry" | "onResponse"> {
  let isAnswered = false;
  return {
    onRetry: onceEach(({ reason }) => {
      // What is read again and again tells of an outage in its own way.
      if (!live || !isAnswered) note(`trying again: ${reason}`);
    }),
    onResponse: ({ target, status, milliseconds }) => {
      isAnswered = true;
      if (readFlags().verbose) note(`GET ${target} ${status} in ${milliseconds} ms`);
    },
  };
}

/** A server that is down for a minute is one line, not one a try. */
function onceEach(tell: (notice: RetryNotice) => void): (notice: RetryNotice) => void {
  let told: string | undefined;
  return (notice) => {
    if (notice.reason !== told) tell(notice);
    told = notice.reason;
  };
}

/** Opens the source, lets `use` read from it, and closes it whatever happens. */
export async function withSource<T>(
  opening: Promise<VariableSource>,
  use: (source: VariableSource) => Promise<T>,
): Promise<T> {
  const source = await opening;
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}
