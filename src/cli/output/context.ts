import type { Readable } from "node:stream";
import type { untilStopped } from "../../kit/process/signals.js";
import type { DataCaller } from "../../tasks/data/open-data.js";
import type { DataLocation } from "../../tasks/settings/connection.js";
import type { Settings } from "../../tasks/settings/resolve-settings.js";
import type { GivenFlags } from "../../tasks/settings/setting-table.js";
import type { Surroundings } from "../../tasks/surroundings.js";
import {
  type Output,
  type OutputFlags,
  type Printer,
  writeJsonLine,
  writeLines,
} from "./output.js";

/** Whether changes are printed instead of made, and whether with values. */
interface PreviewFlags {
  dryRun: boolean;
  showValues: boolean;
}

export interface Io {
  readonly surroundings: Surroundings;
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly untilStopped: typeof untilStopped;
  readonly exitSoon: () => void;
}

/**
 * The caller of a command's tasks, and what it prints with:
 *
 * - `note`: to stderr; not with `--quiet` or `--json`
 * - `warn`: to stderr, even with `--quiet`; with `--json` as a line
 *   `{"warning": {"message"}}`
 * - `tell` and `progress`: as `note`, on a terminal only; a script has the exit
 *   code
 */
export interface Context extends DataCaller, Printer {
  readonly io: Io;
  /** The exit code if the command does not fail. Default 0. */
  exitCode: number;
  /** Reads the settings of the command, given its flags. */
  settings(flags: GivenFlags): Promise<Settings>;
  /** Finds the location of the data that these settings name. */
  location(flags: GivenFlags): Promise<DataLocation>;
}

/** The time before the first line about long work, and between two lines. */
const PROGRESS_EVERY_MS = 1_000;

export function createContext(
  io: Io,
  flags: OutputFlags,
  command?: string,
  { dryRun, showValues }: PreviewFlags = { dryRun: false, showValues: false },
): Context {
  const { surroundings } = io;
  const noted = new Set<string>();
  let nextProgress: number | undefined;
  const note: Context["note"] = (text, repeat) => {
    if (repeat === "once" && noted.has(text)) return;
    if (repeat === "once") noted.add(text);
    if (flags.quiet || flags.json) return;
    writeLines(io.stderr, [`appvars: ${text}`]);
  };
  const tell = (text: string) => {
    if (io.stderr.isTTY) note(text);
  };
  const context: Context = {
    surroundings,
    io,
    command,
    flags,
    exitCode: 0,
    // Loaded here: not every command has settings.
    async settings(flags) {
      const { readSettings } = await import("../../tasks/settings/resolve-settings.js");
      return readSettings(flags, this);
    },
    async location(flags) {
      const { dataLocationOf } = await import("../../tasks/settings/connection.js");
      return dataLocationOf(await this.settings(flags));
    },
    note,
    tell,
    warn(text) {
      if (flags.json) writeJsonLine(io.stderr, { warning: { message: text } });
      else writeLines(io.stderr, [`appvars: ${text}`]);
    },
    progress(text) {
      const now = surroundings.ticks();
      nextProgress ??= now + PROGRESS_EVERY_MS;
      if (now < nextProgress) return;
      nextProgress = now + PROGRESS_EVERY_MS;
      tell(text);
    },
    trace: flags.verbose ? note : undefined,
    preview: dryRun
      ? async (before, after) => {
          const { printPreview } = await import("./print-changes.js");
          await printPreview(before, after, showValues, context);
        }
      : undefined,
  };
  return context;
}
