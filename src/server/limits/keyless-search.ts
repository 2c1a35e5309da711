import type { KeyGrant, KeyPair } from "../../model/environment.js";
import type { SignatureCheck } from "../../signing/verify.js";

/**
 * HMACs per second, at about 3 µs each: at most 3% of a core. With 100
 * environments and a plain target, that is 50 searches a second, and 12 for one
 * address.
 */
const SEARCH_RATES = { perAddress: 2_500, total: 10_000 };

/** How far ahead work may be reserved. */
const MAX_BACKLOG_MS = 1_000;

const MAX_RECENT_KEYS = 8;
const MAX_RECENT_ADDRESSES = 10_000;

interface KeylessSignature extends Pick<SignatureCheck, "cost"> {
  /** The address, as `clientAddress` returns it. */
  address: string;
  isSignedWith(pair: KeyPair): boolean;
}

export interface Identity {
  /** The grant of a request's key; `undefined` without valid credentials. */
  grant?: KeyGrant | undefined;
  /**
   * Seconds until the next search. Set if there were too many, so that none was
   * made.
   */
  retryAfter?: number;
}

export type KeylessSearch = (
  candidates: readonly KeyGrant[],
  signature: KeylessSignature,
) => Identity;

/**
 * Finds the secret that made a signature without a key. The keys that have
 * signed from the same address are tried first. Trying all others is a search.
 * Searches are limited: anybody can cause one, from any number of addresses.
 *
 * @param ticks monotonic clock in milliseconds
 */
export function createKeylessSearch(ticks: () => number): KeylessSearch {
  const reserveWork = createWorkBudget(ticks);
  const recentKeys = new RecentKeys();
  return (candidates, { address, cost, isSignedWith }) => {
    const recent = recentKeys.of(address);
    const isRecent = ({ pair }: KeyGrant) => recent.includes(pair.api_key);
    const others = candidates.filter((candidate) => !isRecent(candidate));
    // Both rounds try all of their keys, so that the time does not reveal which
    // one matched.
    let [match] = candidates.filter(
      (candidate) => isRecent(candidate) && isSignedWith(candidate.pair),
    );
    if (!match && others.length > 0) {
      const retryAfter = reserveWork(address, others.length * cost());
      if (retryAfter > 0) return { retryAfter };
      [match] = others.filter(({ pair }) => isSignedWith(pair));
    }
    if (!match || isShared(match, candidates)) return {};
    recentKeys.add(address, match.pair.api_key);
    return { grant: match };
  };
}

/**
 * Whether another key has the same secret, so that the signature does not
 * identify the key.
 */
function isShared({ current, pair }: KeyGrant, candidates: readonly KeyGrant[]): boolean {
  return candidates.some(
    (other) => other.pair.api_secret === pair.api_secret && other.current !== current,
  );
}

class RecentKeys {
  /**
   * The least recently used address is the first, and so is the least recently
   * used key.
   */
  readonly #keys = new Map<string, readonly string[]>();

  of(address: string): readonly string[] {
    return this.#keys.get(address) ?? [];
  }

  add(address: string, key: string): void {
    const others = this.of(address).filter((other) => other !== key);
    this.#keys.delete(address);
    this.#keys.set(address, [...others, key].slice(-MAX_RECENT_KEYS));
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > MAX_RECENT_ADDRESSES && oldest !== undefined) this.#keys.delete(oldest);
  }
}

/**
 * Returns a function that reserves time for work of any size, after earlier
 * work. It returns 0 or, if more than a second is reserved ahead, the seconds
 * after which to try again.
 */
function createWorkBudget(ticks: () => number): (address: string, units: number) => number {
  let totalEnd = Number.NEGATIVE_INFINITY;
  // Stays small: the total limits the number of addresses with work to be done.
  const ends = new Map<string, number>();
  return (address, units) => {
    const now = ticks();
    for (const [other, end] of ends) if (end <= now) ends.delete(other);
    const start = ends.get(address) ?? now;
    const totalStart = Math.max(totalEnd, now);
    const wait = Math.max(start, totalStart) - now - MAX_BACKLOG_MS;
    if (wait >= 0) return Math.max(1, Math.ceil(wait / 1_000));
    ends.set(address, start + (units / SEARCH_RATES.perAddress) * 1_000);
    totalEnd = totalStart + (units / SEARCH_RATES.total) * 1_000;
    return 0;
  };
}
