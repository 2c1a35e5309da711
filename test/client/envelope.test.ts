import { createCipheriv, createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decrypt, encrypt } from "../../src/client/envelope.js";
import { UsageError } from "../../src/kit/text/errors.js";
import { DecryptionError } from "../../src/model/errors.js";

const PREFIX = "envbee:enc:v1:";

describe("an encrypted value", () => {
  it.each(["", "plain", "ünïcödé 👋", "a\u0000b\n", "x".repeat(1_000_000)])(
    "decrypts to the original text: %.10j",
    (text) => {
      const envelope = encrypt(text, "a key");
      expect(envelope.startsWith(PREFIX)).toBe(true);
      expect(decrypt(envelope, "a key")).toBe(text);
    },
  );

  it("differs each time", () => {
    expect(encrypt("text", "key")).not.toBe(encrypt("text", "key"));
  });

  it("consists of nonce, ciphertext and tag under the SHA-256 of the key", () => {
    const nonce = Buffer.from("000102030405060708090a0b", "hex");
    const cipher = createCipheriv(
      "aes-256-gcm",
      createHash("sha256").update("pässword").digest(),
      nonce,
    );
    const sealed = Buffer.concat([
      nonce,
      cipher.update("secret text"),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    expect(decrypt(PREFIX + sealed.toString("base64"), "pässword")).toBe("secret text");
  });

  it("can't be decrypted with another key, and the error contains neither text nor key", () => {
    const read = () => decrypt(encrypt("hunter2", "right"), "wrong-key");
    expect(read).toThrow(DecryptionError);
    expect(read).not.toThrow(/hunter2|wrong-key/);
  });

  it("can't be decrypted after a single bit was changed", () => {
    const bytes = Buffer.from(encrypt("text", "key").slice(PREFIX.length), "base64");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => decrypt(PREFIX + changed.toString("base64"), "key")).toThrow(DecryptionError);
    }
  });

  it.each(["", "AAAA", "not base64!", `${Buffer.alloc(27).toString("base64")}`])(
    "can't be decrypted when it is cut or garbled: %j",
    (body) => {
      expect(() => decrypt(PREFIX + body, "key")).toThrow("not a complete encrypted value");
    },
  );

  it("encryption requires a key that is not empty", () => {
    expect(() => encrypt("text", "")).toThrow(UsageError);
  });
});
