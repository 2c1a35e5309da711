/** Defaults of the server. The rate limit is 125 requests a second, on average over a minute. */
export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 7400;
export const DEFAULT_RATE_LIMIT = 7_500;
/** Seconds. */
export const DEFAULT_RATE_WINDOW = 60;
/** Environments whose secrets a signature without `x-api-key` is checked against. */
export const KEYLESS_LIMIT = 100;
export const DEFAULT_MAX_CONNECTIONS = 1_000;
/** Seconds. */
export const DEFAULT_DRAIN_GRACE = 10;

/** Defaults of clients; the times are in seconds. */
export const DEFAULT_URL = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`;
export const DEFAULT_TIMEOUT = 10;
export const DEFAULT_MAX_WAIT = 60;
/** For a server that can't be reached, in place of the maximum above. */
export const DEFAULT_OUTAGE_WAIT = 15;
/**
 * The same, while this machine itself refuses the connection: the server does not run, or has just
 * been started.
 */
export const DEFAULT_REFUSED_WAIT = 3;

/**
 * Seconds; a day bridges an outage at night or a journey, without using a rotated secret for weeks.
 */
export const DEFAULT_CACHE_S = 86_400;

/** The maximum age in seconds for which answers are kept, 30 days. Older ones are removed. */
export const MAX_KEPT_S = 30 * 86_400;
