export interface Output {
  stdout: string;
  stderr: string;
  /**
   * 128 and the signal's number for a program ended by a signal; undefined for one that still runs.
   */
  code: number | undefined;
}

/** Runs the commands of a script one after another: variables and the current folder stay. */
export interface Session {
  /** Whether a command has ended the session itself. */
  readonly hasEnded: boolean;
  run(command: string): Promise<Output>;
  /**
   * Starts a program in the background, and waits until it has printed or ended. `export` lines are
   * taken in.
   */
  start(command: string): Promise<Output>;
  /** Stops the program started last. Returns its output since its start. */
  stop(signal: NodeJS.Signals): Promise<Output>;
  /** Stops everything started in it. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Where the session starts. */
  folder: string;
  /** A folder beside it for other files; removed after the session. */
  spare: string;
  env: Record<string, string>;
}
