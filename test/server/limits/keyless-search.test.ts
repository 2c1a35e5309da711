import { expect, it } from "vitest";
import { type KeyGrant, keyGrants } from "../../../src/model/environment.js";
import { createKeylessSearch, type Identity } from "../../../src/server/limits/keyless-search.js";

const COST = 2;

/** Environments with the secrets `secret-0`, `secret-1` and so on. */
function candidates(count: number): KeyGrant[] {
  return Array.from({ length: count }, (_, id) => candidate(id, `secret-${id}`));
}

function candidate(id: number, secret: string): KeyGrant {
  const pair = { api_key: `key-${id}`, api_secret: secret };
  return keyGrants({ id, application: "shop", name: `environment-${id}`, ...pair })[0] as KeyGrant;
}

/**
 * A search among these, with a clock that the test sets and a count of the secrets that were tried.
 */
function searchAmong(all: KeyGrant[]) {
  const time = { now: 0 };
  const tried: string[] = [];
  const search = createKeylessSearch(() => time.now);
  const find = (secret: string, address = "192.0.2.1", among = all): Identity => {
    const isSignedWith = ({ api_secret }: { api_secret: string }) => {
      tried.push(api_secret);
      return api_secret === secret;
    };
    return search(among, { address, cost: () => COST, isSignedWith });
  };
  const triedBy = (work: () => unknown) => {
    const before = tried.length;
    work();
    return tried.length - before;
  };
  return { find, triedBy, time };
}

const HUNDRED = candidates(100);

it("a search finds the environment whose secret made the signature, and tries all of them", () => {
  const { find, triedBy } = searchAmong(HUNDRED);
  expect(triedBy(() => expect(find("secret-0").grant?.environment.id).toBe(0))).toBe(100);
  expect(triedBy(() => expect(find("secret-99", "192.0.2.2").grant?.environment.id).toBe(99))).toBe(
    100,
  );
  expect(triedBy(() => expect(find("wrong", "192.0.2.3")).toEqual({}))).toBe(100);
});

it("only the keys that an address has used before are tried if one of them matches", () => {
  const { find, triedBy } = searchAmong(HUNDRED);
  find("secret-7");
  find("secret-8");
  expect(triedBy(() => expect(find("secret-7").grant?.environment.id).toBe(7))).toBe(2);
  expect(triedBy(() => expect(find("secret-9").grant?.environment.id).toBe(9))).toBe(100);
});

it("the last 8 keys of an address are memoized", () => {
  const { find, triedBy, time } = searchAmong(HUNDRED);
  for (let id = 0; id < 9; id++) {
    find(`secret-${id}`);
    time.now += 1_000;
  }
  // However often one of them is used.
  for (let uses = 0; uses < 9; uses++) find("secret-8");
  expect(triedBy(() => find("secret-1"))).toBe(8);
  expect(triedBy(() => find("secret-0"))).toBe(100);
});

it("a secret that two environments share is refused, even if it was accepted before", () => {
  const { find } = searchAmong(HUNDRED);
  expect(find("secret-7").grant?.environment.id).toBe(7);
  const reloaded = [...candidates(99), candidate(99, "secret-7")];
  expect(find("secret-7", "192.0.2.1", reloaded)).toEqual({});
  expect(find("secret-7", "192.0.2.2", reloaded)).toEqual({});
});

it("an environment that was removed, or whose secret has changed, is not found", () => {
  const { find } = searchAmong(HUNDRED);
  find("secret-7");
  expect(find("secret-7", "192.0.2.1", candidates(7))).toEqual({});
  expect(find("secret-7", "192.0.2.1", [...candidates(7), candidate(7, "new")])).toEqual({});
});

it("one address gets as many searches as 2,500 HMACs a second allow", () => {
  const { find, triedBy, time } = searchAmong(HUNDRED);
  const attack = () => {
    for (let i = 0; i < 50; i++) find("wrong");
  };
  expect(triedBy(attack)).toBe(13 * 100);
  time.now += 10_000;
  expect(triedBy(attack)).toBe(13 * 100);
  let tried = 0;
  for (let second = 0; second < 60; second++) {
    time.now += 1_000;
    tried += triedBy(attack);
  }
  expect(tried * COST).toBeLessThanOrEqual(60 * 2_500 + 100 * COST);
  expect(find("wrong")).toEqual({ retryAfter: 1 });
});

it("all addresses together get as many searches as 10,000 HMACs a second allow", () => {
  const { find, triedBy, time } = searchAmong(HUNDRED);
  let tried = 0;
  for (let second = 0; second < 60; second++) {
    time.now += 1_000;
    tried += triedBy(() => {
      for (let i = 0; i < 100; i++) find("wrong", `192.0.${second}.${i}`);
    });
  }
  expect(tried * COST).toBeLessThanOrEqual(61 * 10_000);
  expect(find("wrong", "198.51.100.1")).toEqual({ retryAfter: 1 });
});

it("recent keys of an address are found while others use up all searches", () => {
  const { find } = searchAmong(HUNDRED);
  find("secret-7", "198.51.100.1");
  for (let i = 0; i < 1_000; i++) find("wrong", `192.0.2.${i}`);
  expect(find("secret-7", "198.51.100.1").grant?.environment.id).toBe(7);
  expect(find("secret-7", "198.51.100.2")).toEqual({ retryAfter: 1 });
});

it("a search that exceeds the budget is made, and delays the next one accordingly", () => {
  const { find, time } = searchAmong(candidates(25_000));
  expect(find("wrong")).toEqual({});
  expect(find("wrong")).toEqual({ retryAfter: 19 });
  expect(find("wrong", "192.0.2.2")).toEqual({ retryAfter: 4 });
  time.now += 19_001;
  expect(find("wrong")).toEqual({});
});

it("the least recently used address is forgotten when there are more than 10,000", () => {
  const { find, triedBy, time } = searchAmong(candidates(2));
  for (let i = 0; i < 10_000; i++) {
    time.now += 1_000;
    find("secret-0", `address ${i}`);
  }
  find("secret-0", "address 0");
  find("secret-0", "one more");
  expect(triedBy(() => find("secret-0", "address 0"))).toBe(1);
  expect(triedBy(() => find("secret-0", "address 1"))).toBe(2);
});
