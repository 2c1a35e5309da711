import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { EMPTY_BODY_HASH, parseAuthorization, sign, stringToSign } from "../../src/signing/sign.js";
import { HmacKey } from "../../src/signing/verify.js";

describe("sign()", () => {
  // Computed with: printf '<string to sign>' | openssl dgst -sha256 -hmac 'dev-secret'
  it.each([
    [
      {
        timestamp: 1_700_000_000_000,
        method: "GET",
        route: "/v1/variables-values-by-name/DATABASE_URL/content",
      },
      "HMAC 1700000000000:c748efce2f24fb5fe313d299ff3230e1ce67828dabec001b8007133e1f7e8cf3",
    ],
    [
      { timestamp: 1_700_000_000_000, method: "get", route: "/healthz", bodyHash: "" },
      "HMAC 1700000000000:6bc8ec3c2a8bbc9e492f8b2fe12c1d6401f01c2a750ccc0717fc228768229863",
    ],
  ])("returns the header that OpenSSL computes for %o", (parts, header) => {
    expect(sign(parts, "dev-secret")).toBe(header);
  });
});

const PARTS = { timestamp: 1_700_000_000_000, method: "GET", route: "/v1/variables?limit=2" };

describe("the string to sign", () => {
  it("is timestamp, method, route and the MD5 of {} without separators", () => {
    expect(stringToSign(PARTS)).toBe(
      "1700000000000GET/v1/variables?limit=299914b932bd37a50b983c5e7c90ae93b",
    );
  });

  it("contains the method in upper case", () => {
    expect(stringToSign({ ...PARTS, method: "get" })).toBe(stringToSign(PARTS));
  });

  it("contains the route unchanged", () => {
    const route = "//V1/%7e?a=%20&a=b+c";
    expect(stringToSign({ ...PARTS, route })).toBe(`1700000000000GET${route}${EMPTY_BODY_HASH}`);
  });

  it("contains the hash of another body, or none", () => {
    expect(stringToSign({ ...PARTS, bodyHash: "abc" })).toBe(
      "1700000000000GET/v1/variables?limit=2abc",
    );
    expect(stringToSign({ ...PARTS, bodyHash: "" })).toBe("1700000000000GET/v1/variables?limit=2");
  });

  it("contains the actual MD5 of {}", () => {
    expect(EMPTY_BODY_HASH).toBe(createHash("md5").update(JSON.stringify({})).digest("hex"));
  });
});

describe("a signature", () => {
  it("with an empty secret is refused", () => {
    const error = new RangeError("an API secret must not be empty");
    expect(() => sign(PARTS, "")).toThrow(error);
    expect(() => new HmacKey("")).toThrow(error);
  });

  it.each([1, 63, 64, 65, 512])(
    "of a prepared secret of %d characters is the HMAC that node:crypto computes",
    (length) => {
      const secrets = ["s".repeat(length), "é".repeat(length)];
      const texts = ["", "text", "é 👋", "long ".repeat(20_000)];
      for (const secret of secrets) {
        const key = new HmacKey(secret);
        for (const text of texts)
          expect(key.sign(text)).toBe(createHmac("sha256", secret).update(text).digest("hex"));
      }
    },
  );
});

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
  it("is parsed into a timestamp and a signature", () => {
    expect(parseAuthorization(`HMAC 1700000000000:${HEX}`)).toStrictEqual({
      timestamp: "1700000000000",
      signature: HEX,
    });
  });

  it.each(MALFORMED)("is refused if it is malformed: %j", (header) => {
    expect(parseAuthorization(header)).toBeUndefined();
  });
});
