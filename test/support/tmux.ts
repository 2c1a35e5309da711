import { execFile, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.js";

/** Whether this machine has tmux; where it has not, the tests in a real terminal are skipped. */
export const hasTmux = spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0;

export interface TmuxOptions {
  /** Width in cells, by default 80. */
  columns?: number;
  /** Height in cells, by default 24. */
  rows?: number;
  /** `TERM`. */
  terminal?: "tmux-256color" | "screen-256color";
  /** The shell's environment: the path to programs, no home, and this. */
  env?: Record<string, string>;
  /** Where the shell is; by default an empty folder. */
  cwd?: string;
}

type Expected = RegExp | ((screen: string) => boolean);

/** A shell in a real terminal: the keys that a person presses there, and the screen. */
export interface Tmux {
  /** Types a command and presses Enter. */
  run(command: string): Promise<void>;
  /**
   * Presses keys by their names in tmux: `Enter`, `Escape`, `PageDown`, `BSpace`, `BTab`, `C-c`,
   * `j`.
   */
  keys(...names: string[]): Promise<void>;
  /** Types text as it is. */
  type(text: string): Promise<void>;
  /** Pastes text, in brackets where the program has asked for them. */
  paste(text: string): Promise<void>;
  /** The screen, line by line; with `colors` in the escape sequences of SGR. */
  screen(options?: { colors?: boolean }): Promise<string>;
  /** The shell's own screen, visible or behind the alternate one. */
  shellScreen(): Promise<string>;
  /**
   * Resolves to the screen once all of this is true of it. Expect everything at once: a program may
   * have drawn only the top of the screen.
   */
  until(...expected: readonly Expected[]): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** Writes a text over the first line, as another program on the same terminal would. */
  overwrite(text: string): Promise<void>;
  /** Whether a program shows the alternate screen. */
  alternateOn(): Promise<boolean>;
  cursorVisible(): Promise<boolean>;
  /** Insert mode, application cursor keys and application keypad: a 0 or 1 each. */
  programModes(): Promise<string>;
  /** Whether the program has asked for reports of the mouse. */
  mouseOn(): Promise<boolean>;
  /** The text that a program last copied through the terminal (OSC 52). */
  clipboard(): Promise<string>;
  /** The process of the shell. */
  panePid(): Promise<number>;
  /** The process in the foreground: the shell's, when no program runs in it. */
  programPid(): Promise<number>;
  /** Sends the program in the foreground a signal; of a pipe its first program. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Time limit for each wait. The machine may be busy. */
const TIMEOUT_MS = 20_000;
const POLL_MS = 25;
export const PROMPT = "sh> ";

const execute = promisify(execFile);

/**
 * Opens a terminal with a shell, in a separate tmux server that is stopped when the current test
 * ends.
 */
export async function tmux(options: TmuxOptions = {}): Promise<Tmux> {
  const folder = await temporaryFolder();
  const env = shellEnv(folder, options.env);
  const call: Call = async (...args) => {
    const { stdout } = await execute(
      "tmux",
      ["-u", "-L", "test", "-f", "/dev/null", ...args.map(escaped)],
      { env },
    );
    return stdout;
  };
  const session = driver(call);
  onTestFinished(() => stop(call, session));
  await call(...openingCommands(folder, options));
  await session.until((screen) => screen.startsWith(PROMPT.trimEnd()));
  return session;
}

type Call = (...args: string[]) => Promise<string>;

/**
 * An environment with only PATH from this process: no `CI`, no `TMUX`, no home. Temporary files are
 * its own: the TUI removes those that a killed one left behind.
 */
function shellEnv(folder: string, env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const path = process.env["PATH"] ?? "";
  return {
    PATH: path,
    HOME: "/dev/null",
    LANG: "C.UTF-8",
    PS1: PROMPT,
    TMPDIR: folder,
    ...env,
    TMUX_TMPDIR: folder,
  };
}

function openingCommands(folder: string, options: TmuxOptions): string[] {
  const { columns = 80, rows = 24, terminal = "tmux-256color", cwd = folder } = options;
  const settings = {
    status: "off",
    "set-clipboard": "on",
    "default-terminal": terminal,
    "exit-empty": "off",
  };
  const sets = Object.entries(settings).flatMap(([name, value]) => [
    "set",
    "-g",
    name,
    value,
    SEPARATOR,
  ]);
  const size = ["-x", String(columns), "-y", String(rows)];
  return ["start-server", SEPARATOR, ...sets, "new-session", "-d", ...size, "-c", cwd, "sh", "-i"];
}

function driver(call: Call): Tmux {
  const ask = async (format: string) =>
    (await call("display-message", "-p", `#{${format}}`)).trimEnd();
  const send = async (...args: string[]) => void (await call("send-keys", ...args));
  const screen: Tmux["screen"] = ({ colors = false } = {}) =>
    call("capture-pane", "-p", ...(colors ? ["-e"] : []));
  const alternateOn = async () => (await ask("alternate_on")) === "1";
  const panePid = async () => Number(await ask("pane_pid"));
  const programPid = async () => foregroundOf(await panePid());
  const type = (text: string) => send("-l", "--", text);
  return {
    run: async (command) => {
      await type(command);
      await send("Enter");
    },
    keys: (...names) => send("--", ...names),
    type,
    paste: async (text) => {
      // In a separate buffer, to leave the clipboard unchanged; -r, since tmux would replace
      // newlines with carriage returns.
      await call("set-buffer", "-b", "pasted", "--", text);
      await call("paste-buffer", "-p", "-r", "-d", "-b", "pasted");
    },
    screen,
    shellScreen: async () => call("capture-pane", "-p", ...((await alternateOn()) ? ["-a"] : [])),
    until: (...expected) => until(screen, expected),
    resize: async (columns, rows) =>
      void (await call("resize-window", "-x", String(columns), "-y", String(rows))),
    overwrite: async (text) => writeFile(await ask("pane_tty"), `\x1b[H\x1b[2K${text}`),
    alternateOn,
    mouseOn: async () => (await ask("mouse_any_flag")) === "1",
    programModes: () => ask("insert_flag}#{keypad_cursor_flag}#{keypad_flag"),
    cursorVisible: async () => (await ask("cursor_flag")) === "1",
    clipboard: () => call("show-buffer"),
    panePid,
    programPid,
    kill: async (signal) => {
      const pid = await programPid();
      if (pid === (await panePid())) throw new Error(`no program to send ${signal} to`);
      process.kill(pid, signal);
    },
  };
}

async function until(screen: Tmux["screen"], expected: readonly Expected[]): Promise<string> {
  let seen = "";
  const look = async () => {
    seen = await screen();
    return seen;
  };
  const polled = expect.poll(look, { timeout: TIMEOUT_MS, interval: POLL_MS });
  const isSeen = (each: Expected) => (each instanceof RegExp ? each.test(seen) : each(seen));
  await polled.toSatisfy(() => expected.every(isSeen), `${expected.map(String).join(" and ")}`);
  return seen;
}

/** The leader of the process group that has the terminal of this process. */
async function foregroundOf(pid: number): Promise<number> {
  const { stdout } = await execute("ps", ["-o", "tpgid=", "-p", String(pid)]);
  return Number(stdout);
}

/** A program may outlive its terminal: it is stopped first. */
async function stop(call: Call, session: Tmux): Promise<void> {
  await session.kill("SIGKILL").catch(() => {});
  await call("kill-server").catch(() => {});
}

const SEPARATOR = ";";

/** To tmux, a semicolon at the end of an argument ends the command. */
function escaped(argument: string): string {
  return argument === SEPARATOR ? argument : argument.replace(/;$/, "\\;");
}
