/** All in milliseconds. */
export interface Times {
  /** For one attempt of a request. A member that hangs costs this once: the next request goes to the one that answered. */
  readonly attempt: number;
  /**
   * The same for a transaction. One that reaches a cluster without a leader gets no answer, even once there is one. It is
   * short, since it is found out whether it was carried out.
   */
  readonly transaction: number;
  /** In which a request is tried again. An election takes 1 to 2 seconds. */
  readonly request: number;
  /** In which a change is tried again. */
  readonly write: number;
  /** Between two comparisons of a followed store with the cluster. */
  readonly poll: number;
  /** In which a comparison is tried again. */
  readonly pollRequest: number;
  /** How long the watch may take for a change. */
  readonly watchDelay: number;
  /** A watch is renewed after this: it may miss a change that was made without the head. */
  readonly watch: number;
}

export const TIMES: Times = {
  attempt: 2_000,
  transaction: 1_000,
  request: 10_000,
  write: 30_000,
  poll: 3_000,
  pollRequest: 3_000,
  watchDelay: 500,
  watch: 60_000,
};
