import { hostname, userInfo } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { UsageError } from "../kit/text/errors.js";

/** What a task uses of its process and its machine; tests pass their own. */
export interface Surroundings {
  readonly env: Record<string, string | undefined>;
  /** The current folder. Throws if it has been deleted; most tasks do not read it. */
  readonly cwd: () => string;
  /** The user's folders for this program; they may not exist. */
  readonly folders: { readonly config: string; readonly cache: string };
  readonly platform: NodeJS.Platform;
  /** Id of the user; `undefined` if the system has no such ids, which is Windows. */
  readonly user: number | undefined;
  readonly groups: readonly number[];
  /** Unix time in milliseconds. */
  readonly clock: () => number;
  /** Milliseconds on a monotonic clock, for durations. */
  readonly ticks: () => number;
  /**
   * Reads all of stdin. Rejects with an InvalidDataError, whose message is a predicate, if it has
   * more bytes.
   */
  readonly readStdin: (maxBytes: number) => Promise<Buffer>;
}

/** The reports of a task, besides its result. No text contains a value or a secret. */
export interface Messages {
  /**
   * Tells what a person may want to know.
   *
   * @param repeat `once` for a finding about a file that may be read again
   */
  note(text: string, repeat?: "once"): void;
  /** Warns of a risk, or of a result that is not what was asked for. */
  warn(text: string): void;
  /** Confirms that something was done. */
  tell(text: string): void;
  /** Reports the progress of a long operation. */
  progress(text: string): void;
  /** Describes each exchange with a server; absent if nobody wants to know. */
  trace?: ((text: string) => void) | undefined;
}

/** Who has a task done: a command, the terminal interface, or a program that uses the library. */
export interface Caller extends Messages {
  readonly surroundings: Surroundings;
  /** The name of the command, which the history records: `env rotate`. Default `appvars`. */
  readonly command?: string | undefined;
}

/** Resolves a path in the current folder, which is not read for an absolute path. */
export function absolutePath(path: string, { cwd }: Pick<Surroundings, "cwd">): string {
  return resolve(isAbsolute(path) ? path : cwd(), path);
}

/** Whether an error is Node's for a current folder that has been deleted. */
export function isFolderGone(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === "uv_cwd";
}

/** Reads a variable that is on or off, off if it is unset. @throws UsageError for any other text */
export function readSwitch(variable: string, env: Surroundings["env"]): boolean {
  const text = env[variable] ?? "";
  if (!["", "0", "1", "false", "true"].includes(text))
    throw new UsageError(`${variable} must be 1 or 0`);
  return text === "1" || text === "true";
}

const ACTOR_VARIABLE = "APPVARS_ACTOR";

/** Who runs this command: `user@host`, or what the environment says. @throws UsageError */
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
