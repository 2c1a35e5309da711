import { describe, expect, it } from "vitest";
import { type AnswerOwner, deriveAnswerKeys } from "../../src/cache/answer-keys.js";
import type { Read } from "../../src/domain/read.js";

const OWNER: AnswerOwner = { url: "http://127.0.0.1:7400", apiKey: "dev-key", apiSecret: "dev-secret" };
const REQUEST = { kind: "content", name: "DATABASE_URL" } as const satisfies Read;
const KEPT = { answer: { value: "postgres://localhost/dev" }, savedAt: 1_700_000_000_000 };

const seal = (owner = OWNER, request: Read = REQUEST) => deriveAnswerKeys(owner).seal(request, KEPT);
const open = (text: string, owner = OWNER, request: Read = REQUEST) => deriveAnswerKeys(owner).open(request, text);

const OTHERS: [string, AnswerOwner, Read][] = [
  ["another secret", { ...OWNER, apiSecret: "dev-secret2" }, REQUEST],
  ["another key", { ...OWNER, apiKey: "test-key" }, REQUEST],
  ["no key", { ...OWNER, apiKey: undefined }, REQUEST],
  ["another server", { ...OWNER, url: "http://127.0.0.1:7401" }, REQUEST],
  ["another request", OWNER, { kind: "content", name: "PORT" }],
  ["another kind", OWNER, { kind: "valueByName", name: "DATABASE_URL" }],
];

describe("a sealed answer", () => {
  it("a sealed answer opens to what was sealed, with its time", () => {
    expect(open(seal())).toEqual(KEPT);
  });

  it("a sealed answer differs each time, and reveals nothing of its content", () => {
    expect(seal()).not.toBe(seal());
    expect(Buffer.from(seal(), "base64").toString("latin1")).not.toMatch(/postgres|DATABASE|value|1700000/);
  });

  it.each(OTHERS)("a sealed answer does not open with %s", (_what, owner, request) => {
    expect(open(seal(), owner, request)).toBeUndefined();
  });

  it("a sealed answer does not open after a single bit was changed", () => {
    const bytes = Buffer.from(seal(), "base64");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(open(changed.toString("base64"))).toBeUndefined();
    }
  });

  it("a sealed answer does not open when it was cut off", () => {
    const text = seal();
    for (let length = 0; length < text.length - 2; length++) expect(open(text.slice(0, length))).toBeUndefined();
  });

  it.each(["", "{}", "not base64!", "\u0000"])("a sealed answer does not open when it is %j", (text) => {
    expect(open(text)).toBeUndefined();
  });
});

describe("the names of an answer's folder and file", () => {
  const names = (owner: AnswerOwner, request: Read) => {
    const keys = deriveAnswerKeys(owner);
    return `${keys.folderName}/${keys.fileName(request)}`;
  };

  it("the names of an answer's folder and file are deterministic and hexadecimal", () => {
    expect(names(OWNER, REQUEST)).toBe(names({ ...OWNER }, { ...REQUEST }));
    expect(names(OWNER, REQUEST)).toMatch(/^[0-9a-f]{64}\/[0-9a-f]{64}$/);
  });

  it.each(OTHERS)("the names of an answer's folder and file differ for %s", (_what, owner, request) => {
    expect(names(owner, request)).not.toBe(names(OWNER, REQUEST));
  });
});
