import type { Keyboard } from "./keys.js";
import type { ScreenOutput } from "./screen.js";

/** The terminal, for as long as it is ours alone: what it showed before comes back when that ends. */
export interface TuiTerminal extends ScreenOutput {
  readonly keyboard: Keyboard;
  size(): { columns: number; rows: number };
  /** Returns how to stop that. */
  onResize(listener: () => void): () => void;
  /** Gives it back to the shell until the shell continues us; resolves when it is ours again. */
  suspend(): Promise<void>;
  /** Resolves when the process is asked to stop. */
  readonly untilStopped: Promise<void>;
}
