import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/domain/errors.js";
import { createSealing, UNSEALED } from "../../src/etcd/sealing.js";
import { MARKER } from "../store/broken-data.js";

const [FIRST, SECOND] = ["first-key-0123456789abcdef0123456789", "second-key-0123456789abcdef01234567"];
const KEY = "/s/values/1";
const WRONG_KEY = "is sealed with a key that is not in the file of --store-key-file";
const TAMPERED = "can't be opened: it was changed, or moved from another key";
const NOT_SEALED = "is not sealed: the store has not been sealed yet, or somebody without the key has written it";

describe("sealing", () => {
  it.each(["", "text", "é💾\u0000", "x".repeat(100_000)])("a sealed text can be opened, and shows nothing", (text) => {
    const sealing = createSealing(FIRST);
    const sealed = sealing.seal(text, KEY);
    expect(sealing.open(sealed, KEY)).toBe(text);
    if (text.length > 3) expect(sealed.includes(text)).toBe(false);
    // Nobody can tell whether two are the same.
    expect(sealing.seal(text, KEY)).not.toEqual(sealed);
    expect(sealing.isCurrent(sealed)).toBe(true);
  });

  it("the first key seals, and all open", () => {
    const sealed = createSealing(FIRST).seal("text", KEY);
    const rotated = createSealing(`${SECOND}\n${FIRST}\n`);
    expect(rotated.open(sealed, KEY)).toBe("text");
    expect(rotated.isCurrent(sealed)).toBe(false);
    const next = rotated.seal("text", KEY);
    expect(rotated.isCurrent(next)).toBe(true);
    expect(createSealing(SECOND).open(next, KEY)).toBe("text");
    expect(() => createSealing(FIRST).open(next, KEY)).toThrow(WRONG_KEY);
  });

  it("a record that was moved to another key or prefix can't be opened", () => {
    const sealing = createSealing(FIRST);
    const sealed = sealing.seal("text", KEY);
    for (const key of ["/s/values/2", "/t/values/1", ""]) expect(() => sealing.open(sealed, key)).toThrow(TAMPERED);
  });

  it("a record with any byte changed can't be opened", () => {
    const sealing = createSealing(FIRST);
    const sealed = sealing.seal("text", KEY);
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => sealing.open(changed, KEY)).toThrow(index < 4 ? NOT_SEALED : index < 12 ? WRONG_KEY : TAMPERED);
      expect(() => sealing.open(sealed.subarray(0, index), KEY)).toThrow(index < 12 ? NOT_SEALED : TAMPERED);
    }
    expect(() => sealing.open(Buffer.concat([sealed, Buffer.alloc(1)]), KEY)).toThrow(TAMPERED);
  });

  it("plain text is refused with a key, unless it is allowed, and sealed text without one", () => {
    const plain = UNSEALED.seal("text", KEY);
    expect(() => createSealing(FIRST).open(plain, KEY)).toThrow(NOT_SEALED);
    const allowing = createSealing(FIRST, { allowsPlain: true });
    expect(allowing.open(plain, KEY)).toBe("text");
    expect(allowing.isCurrent(plain)).toBe(false);
    expect(() => UNSEALED.open(allowing.seal("text", KEY), KEY)).toThrow("is sealed: to read it, use --store-key-file");
    expect(() => UNSEALED.open(Buffer.from([0xc3]), KEY)).toThrow("is not valid UTF-8");
  });

  const KEY_RULE =
    "--store-key-file: each line must be a key of 32 or more characters without spaces, such as the output of: " +
    "openssl rand -hex 32";
  it.each([
    ["", "--store-key-file: there is no key in it"],
    ["\n \r\n", "--store-key-file: there is no key in it"],
    [MARKER, KEY_RULE],
    [`${FIRST}\n${MARKER}`, KEY_RULE],
    [`${MARKER} ${"x".repeat(32)}`, KEY_RULE],
    [`${FIRST}\t`, KEY_RULE],
  ])("the key file %j is refused", (content, message) => {
    expect(() => createSealing(content)).toThrow(new UsageError(message));
  });

  it("the key file may have the line ends of Windows, and empty lines", () => {
    const sealed = createSealing(SECOND).seal("text", KEY);
    expect(createSealing(`${FIRST}\r\n\r\n${SECOND}\r\n`).open(sealed, KEY)).toBe("text");
  });
});
