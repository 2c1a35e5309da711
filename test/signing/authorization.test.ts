import { describe, expect, it } from "vitest";
import { formatAuthorization, parseAuthorization } from "../../src/signing/authorization.js";

const HEX = "0123456789abcdef".repeat(4);

// Almost `HMAC <13 digits>:<64 lowercase hex digits>`.
const MALFORMED = [
  "",
  "HMAC",
  "HMAC ",
  `1700000000000:${HEX}`,
  `hmac 1700000000000:${HEX}`,
  `Bearer 1700000000000:${HEX}`,
  `HMAC  1700000000000:${HEX}`,
  `HMAC\t1700000000000:${HEX}`,
  ` HMAC 1700000000000:${HEX}`,
  `HMAC 1700000000000:${HEX} `,
  `HMAC 1700000000000:${HEX}\n`,
  `\nHMAC 1700000000000:${HEX}`,
  `HMAC 170000000000:${HEX}`,
  `HMAC 17000000000000:${HEX}`,
  `HMAC -170000000000:${HEX}`,
  `HMAC 170000000000.:${HEX}`,
  `HMAC 17000000000e5:${HEX}`,
  `HMAC 0x17000000000:${HEX}`,
  `HMAC ١٧٠٠٠٠٠٠٠٠٠٠٠:${HEX}`,
  `HMAC 1700000000000 :${HEX}`,
  `HMAC 1700000000000: ${HEX}`,
  `HMAC 1700000000000${HEX}`,
  `HMAC 1700000000000:${HEX.slice(1)}`,
  `HMAC 1700000000000:${HEX}0`,
  `HMAC 1700000000000:${HEX.toUpperCase()}`,
  `HMAC 1700000000000:${HEX.slice(1)}g`,
  `HMAC 1700000000000:${HEX}, HMAC 1700000000000:${HEX}`,
];

describe("the Authorization header", () => {
  it("is read into its timestamp and the 32 bytes of its signature", () => {
    expect(parseAuthorization(`HMAC 1700000000000:${HEX}`)).toStrictEqual({
      timestamp: 1_700_000_000_000,
      signature: Buffer.from(HEX, "hex"),
    });
  });

  it("is written in the form that is read", () => {
    const authorization = { timestamp: 1_700_000_000_000, signature: Buffer.from(HEX, "hex") };
    expect(formatAuthorization(authorization)).toBe(`HMAC 1700000000000:${HEX}`);
    expect(parseAuthorization(formatAuthorization(authorization))).toStrictEqual(authorization);
  });

  it.each(MALFORMED)("is not read in any other form: %j", (header) => {
    expect(parseAuthorization(header)).toBeUndefined();
  });
});
