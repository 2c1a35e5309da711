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
