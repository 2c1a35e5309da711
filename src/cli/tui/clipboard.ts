import type { Copy } from "../../tui/ports.js";
import type { Schedule } from "../schedule.js";
import { type ClipboardProgram, clipboardPrograms } from "./clipboard-programs.js";
import { feedProgram } from "./feed-program.js";

/** xterm and others take 100,000 bytes of one OSC 52, with what is around it: in base64 that is 74,994 of the text. */
const MOST_BYTES = 74_994;

export interface ClipboardOptions {
  /** Writes to the terminal. */
  write: (text: string) => void;
  platform: NodeJS.Platform;
  env: Record<string, string | undefined>;
  schedule: Schedule;
}

/**
 * Copies to the system's clipboard, and through the terminal (OSC 52): over SSH that is the only way, and where both
 * work it does no harm.
 */
export function createCopy({ write, platform, env, schedule }: ClipboardOptions): Copy {
  const childEnv = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("APPVARS_")));
  const feed = (program: ClipboardProgram, text: string) => feedProgram(program, text, childEnv, schedule);
  return async (text) => {
    const refusal = await askTerminal(text, env, write, feed);
    const problem = await tryPrograms(clipboardPrograms(platform, env), text, feed);
    if (problem === undefined) return { kind: "clipboard" };
    return refusal === undefined
      ? { kind: "terminal", reason: problem }
      : { kind: "failed", reason: `${problem}, and ${refusal}` };
  };
}

type Feed = (program: ClipboardProgram, text: string) => Promise<string | undefined>;

/** `load-buffer -w`: tmux keeps OSC 52 of what runs in it to itself, but passes on what it is given so. */
const TMUX: ClipboardProgram = { command: "tmux", args: ["load-buffer", "-w", "-"], encoding: "utf8" };

/** Resolves to why the terminal can't be asked, if so. */
async function askTerminal(
  text: string,
  env: ClipboardOptions["env"],
  write: ClipboardOptions["write"],
  feed: Feed,
): Promise<string | undefined> {
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_BYTES) return "it is too long for a terminal to take";
  if (env["TMUX"] && (await feed(TMUX, text)) === undefined) return undefined;
  write(`\x1b]52;c;${bytes.toString("base64")}\x07`);
  return undefined;
}

/** Resolves to undefined once one of them has taken it, else to why none did. */
async function tryPrograms(
  programs: readonly ClipboardProgram[],
  text: string,
  feed: Feed,
): Promise<string | undefined> {
  const problems: string[] = [];
  for (const program of programs) {
    const problem = await feed(program, text);
    if (problem === undefined) return undefined;
    problems.push(problem);
  }
  return problems.join(", ") || "there is no clipboard of a desktop here";
}
