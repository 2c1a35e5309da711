import { spawn } from "node:child_process";
import { win32 } from "node:path";
import { systemProgram } from "../../kit/process/program.js";
import { withoutCredentials } from "../../tasks/run/child-environment.js";
import type { Copy } from "../state/ports.js";

/**
 * The largest text for OSC 52. xterm and others accept 100,000 bytes in one
 * sequence, or 74,994 bytes of text in base64.
 */
const MAX_BYTES = 74_994;

/**
 * How long a clipboard program may run, in milliseconds. Without a limit, a
 * program that hangs would block the copy forever.
 */
const TIMEOUT_MS = 2_000;

type ClipboardProgram = readonly [command: string, ...args: string[]];

type Write = (text: string) => void;
type Env = Readonly<Record<string, string | undefined>>;

/**
 * Copies to the system clipboard, and through the terminal (OSC 52), which is
 * the only way over SSH.
 */
export function createCopy({
  write,
  platform,
  env,
}: {
  write: Write;
  platform: NodeJS.Platform;
  env: Env;
}): Copy {
  const childEnv = withoutCredentials(env);
  return async (text) => {
    const isSent = await sendToTerminal(text, childEnv, write);
    const problem = await tryPrograms(clipboardPrograms(platform, env), text, childEnv);
    if (problem === undefined) return { kind: "clipboard" };
    if (isSent) return { kind: "terminal", reason: problem };
    return { kind: "failed", reason: `${problem}, and the text is too long for the terminal` };
  };
}

/**
 * The clipboard programs for the user's own screen, best first. Empty if there
 * is no such screen.
 */
export function clipboardPrograms(
  platform: NodeJS.Platform,
  env: Env,
): readonly ClipboardProgram[] {
  const { WAYLAND_DISPLAY: wayland, DISPLAY: x11 } = env;
  // Over SSH, this machine's clipboard is not the user's, unless a display is
  // forwarded.
  if ((env["SSH_CONNECTION"] || env["SSH_TTY"]) && !wayland && !x11) return [];
  if (platform === "darwin") return [["pbcopy"]];
  if (platform === "win32") return [[systemProgram(CLIP, env)]];
  const all: readonly [condition: string | undefined, ...ClipboardProgram][] = [
    [wayland, "wl-copy"],
    [x11, "xclip", "-selection", "clipboard"],
    [x11, "xsel", "--input", "--clipboard"],
    [env["WSL_DISTRO_NAME"], CLIP],
    [env["TERMUX_VERSION"], "termux-clipboard-set"],
  ];
  return all.flatMap(([condition, ...program]) => (condition ? [program] : []));
}

const CLIP = "clip.exe";

/**
 * tmux ignores OSC 52 from the programs that it runs, but passes on the input
 * of `load-buffer -w`.
 */
const TMUX: ClipboardProgram = ["tmux", "load-buffer", "-w", "-"];

/** Resolves to false if the text is too long for the terminal. */
async function sendToTerminal(text: string, env: Env, write: Write): Promise<boolean> {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_BYTES) return false;
  const isWithTmux = env["TMUX"] && (await feedProgram(TMUX, text, env)) === undefined;
  if (!isWithTmux) write(`\x1b]52;c;${bytes.toString("base64")}\x07`);
  return true;
}

/** Resolves to why no program accepted the text, or to `undefined` if one did. */
async function tryPrograms(
  programs: readonly ClipboardProgram[],
  text: string,
  env: Env,
): Promise<string | undefined> {
  const problems: string[] = [];
  for (const program of programs) {
    const problem = await feedProgram(program, text, env);
    if (problem === undefined) return undefined;
    problems.push(problem);
  }
  return problems.join(", ") || "there is no desktop clipboard here";
}

/**
 * Runs a program with the text on stdin, so that no process list shows the
 * text. Resolves to why the program failed, or to `undefined` if it succeeded.
 * Its output is ignored, because a program that stays in the background to
 * serve the clipboard would keep it open.
 */
function feedProgram([command, ...args]: ClipboardProgram, text: string, env: Env) {
  return new Promise<string | undefined>((resolve) => {
    const limits = { timeout: TIMEOUT_MS, killSignal: "SIGKILL" } as const;
    const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"], env, ...limits });
    child.once("error", () => resolve(`can't start ${command}`));
    child.once("exit", (code) => resolve(code === 0 ? undefined : `${command} failed`));
    // The exit code says whether the program accepted the text.
    child.stdin.on("error", () => {});
    // clip.exe would decode UTF-8 with the code page of the console.
    child.stdin.end(text, win32.basename(command) === CLIP ? "utf16le" : "utf8");
  });
}
