import { hostname, userInfo } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { UsageError } from "../kit/text/errors.js";

/** The parts of the process and the machine that tasks use. */
export interface Surroundings {
  readonly env: Record<string, string | undefined>;
  /** Throws if the current folder has been deleted. */
  readonly cwd: () => string;
  /** The user's folders for this program; they may not exist. */
  readonly folders: { readonly config: string; readonly cache: string };
  readonly platform: NodeJS.Platform;
  /** The id of the user; `undefined` on Windows, which has no such ids. */
  readonly user: number | undefined;
  readonly groups: readonly number[];
  /** Unix time in milliseconds. */
  readonly clock: () => number;
  /** Milliseconds on a monotonic clock, for durations. */
  readonly ticks: () => number;
  /** Reads all of stdin. @throws InvalidDataError without a subject */
  readonly readStdin: (maxBytes: number) => Promise<Buffer>;
}

/**
 * The caller of a task: a command, the terminal interface or the library. No
 * message contains a value or a secret.
 */
export interface Caller {
  readonly surroundings: Surroundings;
  /** The command's name in the history: `env rotate`. Default `appvars`. */
  readonly command?: string | undefined;
  /** @param repeat `once` for a note about a file that may be read again */
  note(text: string, repeat?: "once"): void;
  /** Warns of a risk, or of an unexpected result. */
  warn(text: string): void;
  /** Notes a success. Scripts have the exit code, so only a terminal shows it. */
  tell(text: string): void;
  /** Notes, on a terminal only, what takes time. */
  progress(text: string): void;
  /** Describes each exchange with a server, if the caller wants to know. */
  trace?: ((text: string) => void) | undefined;
}

export function absolutePath(path: string, { cwd }: Pick<Surroundings, "cwd">): string {
  return resolve(isAbsolute(path) ? path : cwd(), path);
}

/** Whether an error means that the current folder has been deleted. */
export function isFolderGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.syscall === "uv_cwd";
}

/**
 * Reads a variable that is on or off; off if it is unset.
 *
 * @throws UsageError for other strings
 */
export function readSwitch(variable: string, env: Surroundings["env"]): boolean {
  const text = env[variable] || "0";
  if (!["0", "1", "false", "true"].includes(text))
    throw new UsageError(`${variable} must be 1 or 0`);
  return text === "1" || text === "true";
}

const ACTOR_VARIABLE = "APPVARS_ACTOR";

/** Returns who makes a change: `user@host`, or the value of the variable. */
export function authorOf({ surroundings, command = "appvars" }: Caller) {
  const { user, env } = surroundings;
  const actor = env[ACTOR_VARIABLE] || `${userName() ?? user ?? "unknown"}@${hostname()}`;
  if (!/^\P{Cc}{1,255}$/u.test(actor))
    throw new UsageError(
      `${ACTOR_VARIABLE} must have 1 to 255 characters, none of them a control character`,
    );
  return { actor, command };
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The user of a container may have no name.
    return undefined;
  }
}
