import { tlsOptions } from "../kit/net/tls-options.js";
import { UsageError } from "../kit/text/errors.js";
import { NoAnswerError, type StoreProblem } from "./circuit-breaker.js";
import type { RateLimitOptions } from "./rate-limiter.js";
import type { RedisAddress } from "./redis-address.js";
import {
  type CounterConnection,
  type CounterStore,
  createSharedLimiter,
  type SharedLimiter,
  type SharedLimiterOptions,
} from "./shared-limiter.js";

const PACKAGES = "ioredis and rate-limiter-flexible";

/**
 * Loads the packages, which are not installed with this one.
 *
 * @throws UsageError if they are missing
 */
export async function loadRedisPackages() {
  try {
    const [{ Redis }, { RateLimiterRedis }] = await Promise.all([
      import("ioredis"),
      import("rate-limiter-flexible"),
    ]);
    return { Redis, RateLimiterRedis };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const command = `npm install ${PACKAGES.replace(" and", "")}`;
    throw new UsageError(`--rate-limit-store needs the packages ${PACKAGES}: ${command}`);
  }
}

/**
 * A limiter that counts in a Redis. Resolves once it is known whether that works.
 *
 * @throws as `loadRedisPackages` does
 */
export async function createRedisLimiter(
  address: RedisAddress,
  options: Omit<SharedLimiterOptions, "store">,
  ticks: () => number,
): Promise<SharedLimiter> {
  const limiter = createSharedLimiter(
    { ...options, store: await createRedisStore(address, options) },
    ticks,
  );
  await limiter.started;
  return limiter;
}

/** Counters in a Redis. Their keys hold the limit and the window, and expire with the window. */
async function createRedisStore(
  { host, port, db, isTls, username, password }: RedisAddress,
  { limit, window }: RateLimitOptions,
): Promise<CounterStore> {
  const { Redis, RateLimiterRedis } = await loadRedisPackages();
  return {
    explain,
    connect(onLost): CounterConnection {
      const redis = new Redis({
        host,
        port,
        db,
        username,
        password,
        ...(isTls && { tls: tlsOptions({}, host) }),
        lazyConnect: true,
        // The circuit breaker connects again.
        retryStrategy: () => null,
        enableOfflineQueue: false,
        disconnectTimeout: 0,
        // A user may not be allowed either command. While Redis loads its data, it counts nothing
        // anyway.
        enableReadyCheck: false,
        disableClientInfo: true,
      });
      const counters = new RateLimiterRedis({
        storeClient: redis,
        points: limit,
        duration: window,
        keyPrefix: `appvars:rate-limit:${limit}:${window}`,
      });
      // Commands of one round of the event loop are written at once, which takes a third less CPU
      // time.
      let isHeld = false;
      const hold = () => {
        if (isHeld) return;
        isHeld = true;
        const { stream } = redis;
        stream.cork();
        setImmediate(() => {
          isHeld = false;
          stream.uncork();
        });
      };
      // Also for a database that does not exist, after which Redis would count in another one.
      redis.on("error", onLost);
      redis.on("close", () => onLost(undefined));
      return {
        ready: redis.connect(),
        // Unlike `consume`, it does not reject beyond the limit.
        add: async (key) => {
          hold();
          return stateOf(await counters.penalty(key));
        },
        read: async (key) => stateOf(await counters.get(key)),
        close: () => redis.disconnect(),
      };
    },
  };
}

function stateOf(found: { consumedPoints: number; msBeforeNext: number } | null) {
  return { count: found?.consumedPoints ?? 0, timeLeft: found?.msBeforeNext ?? 0 };
}

const LOGIN_CODES = ["NOAUTH", "WRONGPASS"];
const OTHER_CODES = [
  ...[
    "BUSY",
    "CLUSTERDOWN",
    "DENIED",
    "LOADING",
    "MASTERDOWN",
    "MISCONF",
    "MOVED",
    "NOPERM",
    "NOREPLICAS",
    "OOM",
  ],
  ...["READONLY", "WRONGTYPE"],
];
/** How ioredis rejects a command on a connection that has ended. */
const CLOSED = /^(?:Connection is closed|Stream isn't writeable)/;

/** Repeats nothing that Redis has sent: its older versions quote the password in an error. */
function explain(error: unknown): StoreProblem {
  const unreachable = (detail: string) => ({ what: "can't be reached", detail });
  if (error instanceof NoAnswerError) return unreachable(error.message);
  const { name, message, code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (message === undefined || CLOSED.test(message))
    return unreachable("the connection was closed");
  if (name === "ReplyError") return explainReply(message);
  return typeof code === "string" ? unreachable(code) : { what: "does not answer as Redis does" };
}

function explainReply(message: string): StoreProblem {
  if (message.startsWith("ERR DB index is out of range")) return { what: "has no such database" };
  const startsMessage = (code: string) => message.startsWith(`${code} `);
  const login = LOGIN_CODES.find(startsMessage);
  // The second is that of Redis 5 and older.
  if (login !== undefined || message === "ERR invalid password")
    return { what: "refuses the user or password", detail: login };
  return { what: "does not count requests", detail: OTHER_CODES.find(startsMessage) };
}
