/** A record in an answer. */
export interface RecordIdentity {
  readonly variable_id: number;
  readonly name: string;
  /** Set if the value was read. */
  readonly value_id?: number;
}

/** A line of an audit log: a request, or the number of lines lost before it. */
export interface AuditLine {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly id?: string;
  readonly key?: string | undefined;
  /** The name of a named key. */
  readonly client?: string | undefined;
  readonly environment?: string | undefined;
  readonly from?: string;
  readonly method?: string | undefined;
  readonly route?: string | undefined;
  readonly status?: number;
  readonly read?: readonly RecordIdentity[] | undefined;
  readonly lines_lost?: number;
}
