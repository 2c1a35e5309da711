/** The terminal during the TUI: alternate screen, hidden cursor, lines that don't wrap, reports of the mouse if wanted. */
export interface TuiTerminal {
  /** Keyboard input in raw mode, so that Ctrl-C is a key; pasted text is in brackets (mode 2004). */
  readonly input: NodeJS.ReadStream;
  write(text: string): void;
  /** Whether written text is still buffered: wait for `onceDrained` before the next frame. */
  isBusy(): boolean;
  /** Calls `listener` once the buffer is empty again. */
  onceDrained(listener: () => void): void;
  size(): { readonly columns: number; readonly rows: number };
  onResize(listener: () => void): void;
  /** Calls `listener` when the screen must be redrawn: after `suspend`, or when another program continued the process. */
  onCleared(listener: () => void): void;
  /** Returns the terminal to the shell (Ctrl-Z). Resolves when the process continues (fg). */
  suspend(): Promise<void>;
  /** Resolves when the process receives a signal to stop, or the terminal is gone. */
  readonly untilStopped: Promise<void>;
}
