import { createHash, createHmac, createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { computeSignature, EMPTY_BODY_HASH, stringToSign } from "../../src/signing/signature.js";

const PARTS = { timestamp: 1_700_000_000_000, method: "GET", route: "/v1/variables?limit=2" };

describe("the string to sign", () => {
  it("joins timestamp, method, route and the MD5 of {} with nothing between them", () => {
    expect(stringToSign(PARTS)).toBe("1700000000000GET/v1/variables?limit=299914b932bd37a50b983c5e7c90ae93b");
  });

  it("has the method in upper case", () => {
    expect(stringToSign({ ...PARTS, method: "get" })).toBe(stringToSign(PARTS));
  });

  it("takes the route as it is", () => {
    const route = "//V1/%7e?a=%20&a=b+c";
    expect(stringToSign({ ...PARTS, route })).toBe(`1700000000000GET${route}${EMPTY_BODY_HASH}`);
  });

  it("takes the hash of another body, or none", () => {
    expect(stringToSign({ ...PARTS, bodyHash: "abc" })).toBe("1700000000000GET/v1/variables?limit=2abc");
    expect(stringToSign({ ...PARTS, bodyHash: "" })).toBe("1700000000000GET/v1/variables?limit=2");
  });

  it("uses the true MD5 of {}", () => {
    expect(EMPTY_BODY_HASH).toBe(createHash("md5").update(JSON.stringify({})).digest("hex"));
  });
});

describe("a signature", () => {
  it("is the HMAC-SHA256 of the string to sign under the secret", () => {
    const text = "1700000000000GET/v1/variables?limit=299914b932bd37a50b983c5e7c90ae93b";
    const expected = createHmac("sha256", "dev-secret").update(text).digest("hex");
    expect(computeSignature(PARTS, "dev-secret").toString("hex")).toBe(expected);
  });

  it("is the same with a key object as with the text of the secret", () => {
    const key = createSecretKey("dev-sécret", "utf8");
    expect(computeSignature(PARTS, key)).toStrictEqual(computeSignature(PARTS, "dev-sécret"));
  });

  it.each([
    ["text", ""],
    ["a key object", createSecretKey(Buffer.alloc(0))],
  ])("is refused under an empty secret, given as %s", (_form, secret) => {
    expect(() => computeSignature(PARTS, secret)).toThrow(new RangeError("an API secret must not be empty"));
  });
});
