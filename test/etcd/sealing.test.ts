import { describe, expect, it } from "vitest";
import { newId } from "../../src/etcd/log.js";
import { isSealed, Sealing } from "../../src/etcd/sealing.js";
import { UsageError } from "../../src/kit/text/errors.js";
import { NEEDS_SEAL_KEY } from "../../src/model/seal-key.js";
import { MARKER } from "../store/broken-data.js";

const [FIRST, SECOND] = [
  "first-key-0123456789abcdef0123456789",
  "second-key-0123456789abcdef01234567",
];
const OWNER = { store: newId(), write: newId(), key: "/s/head" };
const TEXT = Buffer.from("text");
const WRONG_KEY = "is sealed with a key that is not among the seal keys";
const TAMPERED = "can't be opened: it was changed, or moved from another key";
const NOT_SEALED =
  "is not sealed: somebody without the key has written it, or the store is not sealed";
const OTHER_OWNER = "belongs to another store or write";

describe("sealing", () => {
  it.each(["", "text", "é💾\u0000", "x".repeat(100_000)])(
    "sealed bytes can be opened, and show nothing",
    (text) => {
      const sealing = new Sealing(FIRST);
      const [bytes, sealed] = [Buffer.from(text), sealing.seal(Buffer.from(text), OWNER)];
      expect(isSealed(sealed)).toBe(true);
      expect(sealing.open(sealed, OWNER.key)).toEqual(bytes);
      if (text.length > 3) expect(sealed.includes(bytes)).toBe(false);
      // Nobody can tell whether two are the same.
      expect(sealing.seal(bytes, OWNER)).not.toEqual(sealed);
    },
  );

  it("the first key seals, and all open", () => {
    const sealed = new Sealing(FIRST).seal(TEXT, OWNER);
    const rotated = new Sealing(`${SECOND}\n${FIRST}\n`);
    expect(rotated.open(sealed, OWNER.key)).toEqual(TEXT);
    const next = rotated.seal(TEXT, OWNER);
    expect(new Sealing(SECOND).open(next, OWNER.key)).toEqual(TEXT);
    expect(() => new Sealing(FIRST).open(next, OWNER.key)).toThrow(WRONG_KEY);
  });

  it("bytes that were moved to another key or prefix can't be opened", () => {
    const sealing = new Sealing(FIRST);
    const sealed = sealing.seal(TEXT, OWNER);
    for (const key of ["/s/log/1", "/t/head", ""])
      expect(() => sealing.open(sealed, key)).toThrow(TAMPERED);
  });

  it("bytes with any one changed, missing or added can't be opened", () => {
    const sealing = new Sealing(FIRST);
    const sealed = sealing.seal(TEXT, OWNER);
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => sealing.open(changed, OWNER.key)).toThrow(
        index < 4 ? NOT_SEALED : index < 12 ? WRONG_KEY : TAMPERED,
      );
      const isHeader = index < 44;
      expect(() => sealing.open(sealed.subarray(0, index), OWNER.key)).toThrow(
        isHeader ? NOT_SEALED : TAMPERED,
      );
    }
    expect(() => sealing.open(Buffer.concat([sealed, Buffer.alloc(1)]), OWNER.key)).toThrow(
      TAMPERED,
    );
  });

  it("bytes tell the store and the write that they were sealed for", () => {
    const sealing = new Sealing(FIRST);
    const sealed = sealing.seal(TEXT, OWNER);
    sealing.checkOwner(sealed, OWNER);
    sealing.checkOwner(sealed, { store: OWNER.store });
    for (const other of [
      { store: newId() },
      { ...OWNER, store: OWNER.write },
      { ...OWNER, write: newId() },
    ])
      expect(() => sealing.checkOwner(sealed, other)).toThrow(OTHER_OWNER);
  });

  it("plain bytes are refused with a key, and sealed bytes without one", () => {
    const plain = new Sealing().seal(TEXT, OWNER);
    expect(new Sealing().open(plain, OWNER.key)).toEqual(TEXT);
    expect(() => new Sealing(FIRST).open(plain, OWNER.key)).toThrow(NOT_SEALED);
    const sealed = new Sealing(FIRST).seal(TEXT, OWNER);
    expect(() => new Sealing().open(sealed, OWNER.key)).toThrow(NEEDS_SEAL_KEY);
  });

  const KEY_RULE =
    "each seal key must have 32 or more characters without spaces, such as the output of: " +
    "openssl rand -hex 32";
  it.each([
    ["", "there is no seal key"],
    ["\n \r\n", "there is no seal key"],
    [MARKER, KEY_RULE],
    [`${FIRST}\n${MARKER}`, KEY_RULE],
    [`${MARKER} ${"x".repeat(32)}`, KEY_RULE],
    [`${FIRST}\t`, KEY_RULE],
  ])("the key file %j is refused", (content, message) => {
    expect(() => new Sealing(content)).toThrow(new UsageError(message));
  });

  it("the key file may have the line ends of Windows, and empty lines", () => {
    const sealed = new Sealing(SECOND).seal(TEXT, OWNER);
    expect(new Sealing(`${FIRST}\r\n\r\n${SECOND}\r\n`).open(sealed, OWNER.key)).toEqual(TEXT);
  });
});
