/** The terminal while the TUI has it: whole screen, without its cursor, and lines that don't wrap. */
export interface TuiTerminal {
  /** What it types. It is in raw mode, so Ctrl-C is a key; what is pasted is in brackets (mode 2004). */
  readonly input: NodeJS.ReadStream;
  write(text: string): void;
  /** Whether more has been written than the terminal has taken: a frame had better wait for `onDrain`. */
  isBusy(): boolean;
  /** Calls `listener` whenever it has taken what was written. Returns how to stop that. */
  onDrain(listener: () => void): () => void;
  size(): { readonly columns: number; readonly rows: number };
  /** Calls `listener` when it has become another size. Returns how to stop that. */
  onResize(listener: () => void): () => void;
  /**
   * Calls `listener` when what stood on the screen is gone, and all of it has to be drawn again: after `suspend`, and
   * after somebody else stopped the process and let it go on. Returns how to stop that.
   */
  onCleared(listener: () => void): () => void;
  /** Gives it back to the shell until that lets the process go on (Ctrl-Z, fg). Resolves when it is ours again. */
  suspend(): Promise<void>;
  /** Resolves when the process is asked to stop, or there is no terminal any more. */
  readonly untilStopped: Promise<void>;
}
