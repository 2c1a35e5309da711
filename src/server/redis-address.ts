import { formatEndpoint, parseEndpoint } from "../kit/net/endpoint.js";
import { UsageError } from "../kit/text/errors.js";

/** Where a Redis is, and how to log in. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  /** Number of the database. */
  readonly db: number;
  readonly isTls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Without user and password. */
  readonly url: string;
}

const DEFAULT_PORT = 6379;
const REDIS_URL = /^(rediss?):\/\/(?:([^/?#]*)@)?([^/?#@]+)(?:\/(\d{1,5})?)?$/;

/**
 * Parses `redis://user:password@host:6379/0`, or `rediss://` for TLS.
 *
 * @throws UsageError that does not quote the URL, which may hold a password
 */
export function parseRedisUrl(text: string, from: string): RedisAddress {
  const [, scheme = "", login, place = "", db = "0"] = REDIS_URL.exec(text) ?? [];
  const endpoint = parseEndpoint(place, DEFAULT_PORT);
  if (!endpoint)
    throw new UsageError(`${from} must be like redis://host:6379/0, or rediss:// for TLS`);
  const url = `${scheme}://${formatEndpoint(endpoint)}/${Number(db)}`;
  return {
    ...endpoint,
    db: Number(db),
    isTls: scheme === "rediss",
    ...parseLogin(login, from),
    url,
  };
}

function parseLogin(
  login: string | undefined,
  from: string,
): Pick<RedisAddress, "username" | "password"> {
  if (login === undefined) return { username: undefined, password: undefined };
  const [, username = "", password = ""] = /^([^:]*):(.+)$/s.exec(login) ?? [];
  if (password === "")
    throw new UsageError(`${from} must have a password after the user, as in :password@host`);
  try {
    return {
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(password),
    };
  } catch {
    throw new UsageError(
      `${from} has a % in the user or password that is not percent-encoded as %25`,
    );
  }
}
