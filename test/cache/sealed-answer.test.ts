import { describe, expect, it } from "vitest";
import { type AnswerOwner, deriveAnswerKeys } from "../../src/cache/answer-keys.js";
import { openAnswer, sealAnswer } from "../../src/cache/sealed-answer.js";

const OWNER: AnswerOwner = { url: "http://127.0.0.1:7400", apiKey: "dev-key", apiSecret: "dev-secret" };
const REQUEST = ["getContentByName", "DATABASE_URL"];
const KEPT = { answer: { value: "postgres://localhost/dev" }, savedAt: 1_700_000_000_000 };

const seal = (owner = OWNER, request = REQUEST) => {
  const keys = deriveAnswerKeys(owner);
  return sealAnswer(KEPT, keys.sealingKey, keys.context(request));
};
const open = (text: string, owner = OWNER, request = REQUEST) => {
  const keys = deriveAnswerKeys(owner);
  return openAnswer(text, keys.sealingKey, keys.context(request));
};

const OTHERS: [string, AnswerOwner, string[]][] = [
  ["another secret", { ...OWNER, apiSecret: "dev-secret2" }, REQUEST],
  ["another key", { ...OWNER, apiKey: "test-key" }, REQUEST],
  ["no key", { ...OWNER, apiKey: undefined }, REQUEST],
  ["another server", { ...OWNER, url: "http://127.0.0.1:7401" }, REQUEST],
  ["another request", OWNER, ["getContentByName", "PORT"]],
  ["another method", OWNER, ["getValueByName", "DATABASE_URL"]],
];

describe("a sealed answer", () => {
  it("comes back as it was, with its time", () => {
    expect(open(seal())).toEqual(KEPT);
  });

  it("differs each time, and shows nothing of what is in it", () => {
    expect(seal()).not.toBe(seal());
    expect(Buffer.from(seal(), "base64").toString("latin1")).not.toMatch(/postgres|DATABASE|value|1700000/);
  });

  it.each(OTHERS)("is nothing under %s", (_what, owner, request) => {
    expect(open(seal(), owner, request)).toBeUndefined();
  });

  it("is nothing when a single bit of it was changed", () => {
    const bytes = Buffer.from(seal(), "base64");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(open(changed.toString("base64"))).toBeUndefined();
    }
  });

  it("is nothing when it was cut", () => {
    const text = seal();
    for (let length = 0; length < text.length - 2; length++) expect(open(text.slice(0, length))).toBeUndefined();
  });

  it.each(["", "{}", "not base64!", "\u0000"])("is nothing when it is %j", (text) => {
    expect(open(text)).toBeUndefined();
  });
});

describe("the names of folder and file", () => {
  const names = (owner: AnswerOwner, request: string[]) => {
    const keys = deriveAnswerKeys(owner);
    return `${keys.folderName}/${keys.fileName(request)}`;
  };

  it("are always the same for the same, and plain hexadecimal", () => {
    expect(names(OWNER, REQUEST)).toBe(names({ ...OWNER }, [...REQUEST]));
    expect(names(OWNER, REQUEST)).toMatch(/^[0-9a-f]{64}\/[0-9a-f]{64}$/);
  });

  it.each(OTHERS)("are others for %s", (_what, owner, request) => {
    expect(names(owner, request)).not.toBe(names(OWNER, REQUEST));
  });
});
