import { readFileSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { Data } from "../../../src/store/data.js";
import { BINARY } from "../../support/binary.js";
import { type DataFile, dataFile } from "../../support/data-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { type Tmux, type TmuxOptions, tmux } from "../../support/tmux.js";

/** The package's example data: two applications with three environments each. */
export const EXAMPLE: Data = JSON.parse(
  readFileSync(new URL("../../../data/example.json", import.meta.url), { encoding: "utf8" }),
);

export interface TuiOptions extends Omit<TmuxOptions, "cwd"> {
  /** The content of the data file. Default: the example. */
  content?: Data;
  /** The command in the shell. Default: the one that starts the TUI. */
  command?: string;
}

/**
 * A terminal with the built TUI on a copy of the example; `appvars` is on the PATH of its shell.
 */
export interface Tui extends Tmux {
  readonly file: DataFile;
  /** The current content of the file. */
  saved(): Promise<string>;
}

/** Starts the TUI in a shell of `openShell`. */
export const START = "appvars tui --data vars.json";

/** Opens a terminal with a shell beside the data file. */
export async function openShell({
  content = EXAMPLE,
  env,
  ...options
}: TuiOptions = {}): Promise<Tui> {
  const file = await dataFile(content);
  const programs = await temporaryFolder();
  await symlink(BINARY, join(programs, "appvars"));
  const path = [programs, process.env["PATH"] ?? ""].join(delimiter);
  const terminal = await tmux({ ...options, cwd: dirname(file.path), env: { PATH: path, ...env } });
  return { ...terminal, file, saved: () => readFile(file.path, "utf8") };
}

/** Opens a terminal and the TUI in it, and waits for its variables. */
export async function openTuiInTmux({
  command = START,
  ...options
}: TuiOptions = {}): Promise<Tui> {
  const tui = await openShell(options);
  await tui.run(command);
  await tui.until(READY);
  return tui;
}

/** Matches once all variables have been read. */
export const READY = / \d+ variables .*· \d+ s old$/m;

/** Matches when the list's cursor is on a variable. */
export function isOn(name: string): RegExp {
  return new RegExp(`›[ ~+] ${name} `);
}

/** Matches text below the panels: the last line, or a notice of several lines. */
export function atBottom(expected: RegExp): (screen: string) => boolean {
  return (screen) => {
    const lines = screen.trimEnd().split("\n");
    const start = lines.findLastIndex((line) => !line.startsWith("   "));
    return expected.test(
      [lines[start], ...lines.slice(start + 1).map((line) => line.trim())].join(" "),
    );
  };
}
