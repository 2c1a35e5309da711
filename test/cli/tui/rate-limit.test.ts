import { expect, it } from "vitest";
import { rateLimitOf } from "../../../src/cli/tui/open-place.js";

const HEADERS = { "ratelimit-limit": "60", "ratelimit-remaining": "0", "ratelimit-reset": "17" };

it("rateLimitOf reads the rate limit headers of a response", () => {
  expect(rateLimitOf(HEADERS)).toEqual({ limit: 60, remaining: 0, reset: 17 });
});

it.each([undefined, "", "-1", "1.5", "1e3", "0x10", "60, 60", "60;w=60", "9".repeat(16)])(
  "rateLimitOf rejects a limit of %j",
  (limit) => {
    expect(rateLimitOf({ ...HEADERS, "ratelimit-limit": limit })).toBeUndefined();
  },
);
