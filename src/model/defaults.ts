/**
 * Defaults of the server. The rate limit is 125 requests per second, on average
 * over a minute.
 */
export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 7400;
export const DEFAULT_RATE_LIMIT = 7_500;
/** The window of the rate limit, in seconds. */
export const DEFAULT_RATE_WINDOW = 60;
/**
 * The number of environments whose secrets are tried on a signature without
 * `x-api-key`.
 */
export const KEYLESS_LIMIT = 100;
export const DEFAULT_MAX_CONNECTIONS = 1_000;
/** The time for open requests when a server stops, in seconds. */
export const DEFAULT_DRAIN_GRACE = 10;

/** Defaults of clients; the times are in seconds. */
export const DEFAULT_URL = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`;
export const DEFAULT_TIMEOUT = 10;
export const DEFAULT_MAX_WAIT = 60;
/** Replaces DEFAULT_MAX_WAIT for a server that can't be reached. */
export const DEFAULT_OUTAGE_WAIT = 15;
/**
 * Replaces DEFAULT_MAX_WAIT while this machine itself refuses the connection:
 * the server is not running, or has just been started.
 */
export const DEFAULT_REFUSED_WAIT = 3;

/**
 * The age of cached answers, in seconds. A day covers an outage at night or a
 * journey, but no rotated secret is used for weeks.
 */
export const DEFAULT_CACHE_AGE_S = 86_400;

/** The maximum age of answers in seconds, 30 days. Older answers are removed. */
export const MAX_CACHE_AGE_S = 30 * 86_400;

/**
 * The longest time, about 23 days: Node fires a timer of more than 2^31 ms
 * immediately.
 */
export const MAX_SECONDS = 2_000_000;
