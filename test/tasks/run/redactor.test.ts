import { describe, expect, it } from "vitest";
import { Redactor } from "../../../src/tasks/run/redactor.js";

function redact(chunks: readonly (string | Buffer)[], texts: readonly string[]): string {
  const redactor = new Redactor(texts);
  return Buffer.concat([
    ...chunks.map((chunk) => redactor.push(Buffer.from(chunk))),
    redactor.end(),
  ]).toString();
}

/** The expected output, from the whole input: occurrences side by side are one. */
function redactWhole(whole: Buffer, texts: readonly string[]): string {
  const found: [start: number, end: number][] = texts.flatMap((text) => {
    const bytes = Buffer.from(text);
    const starts: number[] = [];
    for (let at = whole.indexOf(bytes); at !== -1; at = whole.indexOf(bytes, at + 1))
      starts.push(at);
    return starts.map((start): [number, number] => [start, start + bytes.length]);
  });
  const parts: Buffer[] = [];
  let end = 0;
  for (const [start, stop] of found.sort(([a], [b]) => a - b)) {
    if (parts.length === 0 || start > end)
      parts.push(whole.subarray(end, start), Buffer.from("***"));
    end = Math.max(end, stop);
  }
  return Buffer.concat([...parts, whole.subarray(end)]).toString();
}

describe("redaction", () => {
  it("Redactor hides every occurrence of a text", () => {
    expect(redact(["the password is hunter2, hunter2!"], ["hunter2"])).toBe(
      "the password is ***, ***!",
    );
  });

  it("Redactor hides a text at the beginning, at the end and as the whole output", () => {
    expect(redact(["hunter2"], ["hunter2"])).toBe("***");
    expect(redact(["hunter2 and hunter2"], ["hunter2"])).toBe("*** and ***");
  });

  it("Redactor hides the longest of several texts with the same beginning", () => {
    expect(redact(["abcd abcdef abcde"], ["abcd", "abcdef"])).toBe("*** *** ***e");
  });

  it("Redactor hides a secret that contains another secret, and the other alone", () => {
    expect(redact(["xabcdx bc abc"], ["bc", "abcd"])).toBe("x***x *** a***");
  });

  it("Redactor hides every byte of overlapping texts", () => {
    expect(redact(["-abcdef-"], ["abcd", "cdef"])).toBe("-***-");
    expect(redact(["-aaaaaa-"], ["aaaa"])).toBe("-***-");
  });

  it("Redactor hides a text that is split within a character", () => {
    const bytes = Buffer.from("a: pässwört👋!");
    const chunks = [...bytes].map((byte) => Buffer.of(byte));
    expect(redact(chunks, ["pässwört👋"])).toBe("a: ***!");
  });

  it("Redactor leaves invalid UTF-8 as it is", () => {
    const redactor = new Redactor(["secret"]);
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28, 0x80]);
    expect(Buffer.concat([redactor.push(bytes), redactor.end()])).toEqual(bytes);
  });

  it("Redactor without texts changes nothing", () => {
    expect(redact(["as it ", "is"], [])).toBe("as it is");
  });

  it("Redactor hides the same in chunks as in the whole output", () => {
    // A generator instead of Math.random: a failure can be reproduced.
    let seed = 42;
    const below = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * limit);
    };
    const word = (longest: number) =>
      Array.from({ length: 1 + below(longest) }, () => "abé👋"[below(5)]).join("");
    for (let round = 0; round < 3_000; round++) {
      const texts = Array.from({ length: 1 + below(4) }, () => word(5));
      const whole = Buffer.from(word(40));
      const chunks: Buffer[] = [];
      for (let at = 0; at < whole.length; at = at + (chunks.at(-1)?.length ?? 0)) {
        chunks.push(whole.subarray(at, at + 1 + below(6)));
      }
      expect(redact(chunks, texts), JSON.stringify([texts, chunks.map(String)])).toBe(
        redactWhole(whole, texts),
      );
    }
  });
});

describe("output that is held back", () => {
  it("Redactor holds back only a possible beginning of a secret", () => {
    const redactor = new Redactor(["secret", "retry"]);
    expect(String(redactor.push(Buffer.from("a sec")))).toBe("a ");
    expect(String(redactor.push(Buffer.from("ond\n")))).toBe("second\n");
    expect(String(redactor.push(Buffer.from("no secre")))).toBe("no ");
    expect(String(redactor.push(Buffer.from("t")))).toBe("***");
    expect(String(redactor.push(Buffer.from("r")))).toBe("");
    expect(String(redactor.push(Buffer.from("y!")))).toBe("!");
    expect(String(redactor.end())).toBe("");
  });

  it("Redactor writes the rest at the end", () => {
    const redactor = new Redactor(["secret"]);
    expect(String(redactor.push(Buffer.from("secre")))).toBe("");
    expect(String(redactor.end())).toBe("secre");
  });
});
