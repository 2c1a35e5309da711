import * as crypto from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { get, type Headers } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { signByHand } from "../../support/sign-by-hand.js";

vi.mock("node:crypto", async (importActual) => {
  const actual = await importActual<typeof crypto>();
  return { ...actual, hash: vi.fn(actual.hash), timingSafeEqual: vi.fn(actual.timingSafeEqual) };
});

const hash = vi.mocked(crypto.hash);
const timingSafeEqual = vi.mocked(crypto.timingSafeEqual);

beforeEach(() => void timingSafeEqual.mockReset());

const TARGET = "/v1/variables";
const authorization = (secret: string) => signByHand({ secret, route: TARGET });

const [RIGHT, WRONG] = ["dev-secret", "dev-secreT"];
/** The ways to send credentials, with a secret and a key. */
const WAYS: [string, (secret: string, key: string) => Headers][] = [
  ["key and secret", (secret, key) => ({ "x-api-key": key, "x-api-secret": secret })],
  [
    "key and signature",
    (secret, key) => ({ "x-api-key": key, authorization: authorization(secret) }),
  ],
  ["signature alone", (secret) => ({ authorization: authorization(secret) })],
];

describe.each(WAYS)("%s:", (_way, headers) => {
  it("nothing but the comparison in constant time decides", async () => {
    const server = await runningServer();
    const statuses = async () => [
      (await get(server, TARGET, headers(RIGHT, "dev-key"))).status,
      (await get(server, TARGET, headers(WRONG, "dev-key"))).status,
    ];
    timingSafeEqual.mockReturnValue(false);
    expect(await statuses()).toEqual([401, 401]);
    timingSafeEqual.mockReturnValue(true);
    expect(await statuses()).toEqual([200, 200]);
  });
});

it.each(WAYS.slice(0, 2))(
  "an unknown key takes as many hashes as a wrong secret: %s",
  async (_way, headers) => {
    const server = await runningServer();
    const work = async (key: string) => {
      hash.mockClear();
      timingSafeEqual.mockClear();
      expect((await get(server, TARGET, headers(WRONG, key))).status).toBe(401);
      return { hashes: hash.mock.calls.length, comparisons: timingSafeEqual.mock.calls.length };
    };
    timingSafeEqual.mockReturnValue(false);
    // The material for checking a secret is prepared once.
    await Promise.all([work("dev-key"), work("no-key")]);
    const known = await work("dev-key");
    expect(known.hashes).toBeGreaterThan(0);
    expect(known.comparisons).toBeGreaterThan(0);
    expect(await work("no-key")).toEqual(known);
  },
);
