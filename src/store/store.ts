import type { Data } from "./data.js";

/** Where the data of all environments is kept. */
export interface Store {
  /** The last good data, whole: an answer made from one snapshot never mixes two versions. */
  readonly snapshot: Data;
  /** Why `snapshot` may be out of date, in words fit for anybody; undefined while all is well. */
  readonly problem: string | undefined;
  /** Calls `listener` after `snapshot` or `problem` has changed. Returns how to stop that. */
  subscribe(listener: () => void): () => void;
  close(): Promise<void>;
}

/** A store that can be changed. */
export interface EditableStore extends Store {
  /**
   * Replaces the data, as it is by then, with what `change` makes of it. Once it resolves, the change can't be
   * lost and `snapshot` has it.
   *
   * @throws InvalidDataError when it can't be written or breaks a rule, and what `change` throws: nothing has
   *   changed then
   */
  update(change: (data: Data) => Data): Promise<void>;
}
