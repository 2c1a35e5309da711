import { type Io, withNotice } from "./io.js";
import { writeJsonLine, writeLines } from "./output.js";

export interface OutputFlags {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
  verbose?: boolean | undefined;
  /** False with `--no-color`. */
  color: boolean;
}

/** What a command works with, besides its own options. Its results go through `printer.ts`. */
export interface Context {
  io: Io;
  flags: OutputFlags;
  /** Writes a message for people to stderr; not with `--quiet` or `--json`. */
  note(text: string): void;
  /** Writes a warning to stderr, also with `--quiet`; with `--json` as a line `{"warning": {"message"}}`. */
  warn(text: string): void;
  /** Confirms on a terminal that something was done; a script has the exit code. */
  tell(text: string): void;
  /** The exit code if the command does not fail. Default 0. */
  exitCode: number;
}

/** @param readFlags called once the command line has been parsed */
export function createContext(surroundings: Io, readFlags: () => OutputFlags): Context {
  const noticed = new Set<string>();
  const io = withNotice(surroundings, (text) => {
    // Settings are read more than once.
    if (!noticed.has(text)) note(text);
    noticed.add(text);
  });
  const note = (text: string) => {
    if (!readFlags().quiet && !readFlags().json) writeLines(io.stderr, [`appvars: ${text}`]);
  };
  const warn = (text: string) => {
    if (readFlags().json) writeJsonLine(io.stderr, { warning: { message: text } });
    else writeLines(io.stderr, [`appvars: ${text}`]);
  };
  const tell = (text: string) => {
    if (io.stderr.isTTY) note(text);
  };
  return {
    io,
    get flags() {
      return readFlags();
    },
    note,
    warn,
    tell,
    exitCode: 0,
  };
}
