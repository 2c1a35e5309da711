import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/cli/redactor.js";

function redact(chunks: readonly (string | Buffer)[], texts: readonly string[]): string {
  const redactor = new Redactor(texts);
  return Buffer.concat([...chunks.map((chunk) => redactor.push(Buffer.from(chunk))), redactor.end()]).toString();
}

/** What is to come out, by looking at the whole: every byte of every occurrence is hidden. */
function redactWhole(whole: Buffer, texts: readonly string[]): string {
  const found: [start: number, end: number][] = texts.flatMap((text) => {
    const bytes = Buffer.from(text);
    const starts: number[] = [];
    for (let at = whole.indexOf(bytes); at !== -1; at = whole.indexOf(bytes, at + 1)) starts.push(at);
    return starts.map((start): [number, number] => [start, start + bytes.length]);
  });
  const parts: Buffer[] = [];
  let end = 0;
  for (const [start, stop] of found.sort(([a], [b]) => a - b)) {
    if (parts.length === 0 || start >= end) parts.push(whole.subarray(end, start), Buffer.from("***"));
    end = Math.max(end, stop);
  }
  return Buffer.concat([...parts, whole.subarray(end)]).toString();
}

describe("redaction", () => {
  it("hides each text", () => {
    expect(redact(["the password is hunter2, hunter2!"], ["hunter2"])).toBe("the password is ***, ***!");
  });

  it("hides a text at the beginning, at the end and as all there is", () => {
    expect(redact(["hunter2"], ["hunter2"])).toBe("***");
    expect(redact(["hunter2 and hunter2"], ["hunter2"])).toBe("*** and ***");
  });

  it("prefers the longest of texts that begin alike", () => {
    expect(redact(["abcd abcdef abcde"], ["abcd", "abcdef"])).toBe("*** *** ***e");
  });

  it("hides a text within a longer one, and the longer one", () => {
    expect(redact(["xabcdx bc abc"], ["bc", "abcd"])).toBe("x***x *** a***");
  });

  it("leaves nothing of texts that overlap", () => {
    expect(redact(["-abcdef-"], ["abcd", "cdef"])).toBe("-***-");
    expect(redact(["-aaaaaa-"], ["aaaa"])).toBe("-***-");
  });

  it("hides a text that is split within a character", () => {
    const bytes = Buffer.from("a: pässwört👋!");
    const chunks = [...bytes].map((byte) => Buffer.of(byte));
    expect(redact(chunks, ["pässwört👋"])).toBe("a: ***!");
  });

  it("leaves bytes that are no UTF-8 as they are", () => {
    const redactor = new Redactor(["secret"]);
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28, 0x80]);
    expect(Buffer.concat([redactor.push(bytes), redactor.end()])).toEqual(bytes);
  });

  it("changes nothing where there is nothing to hide", () => {
    expect(redact(["as it ", "is"], [])).toBe("as it is");
  });

  it("equals a replacement in the whole output, wherever that is split", () => {
    // A small generator instead of Math.random: a failure can be repeated.
    let seed = 42;
    const below = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * limit);
    };
    const word = (longest: number) => Array.from({ length: 1 + below(longest) }, () => "abé👋"[below(5)]).join("");
    for (let round = 0; round < 3_000; round++) {
      const texts = Array.from({ length: 1 + below(4) }, () => word(5));
      const whole = Buffer.from(word(40));
      const chunks: Buffer[] = [];
      for (let at = 0; at < whole.length; at = at + (chunks.at(-1)?.length ?? 0)) {
        chunks.push(whole.subarray(at, at + 1 + below(6)));
      }
      expect(redact(chunks, texts), JSON.stringify([texts, chunks.map(String)])).toBe(redactWhole(whole, texts));
    }
  });
});

describe("what is held back", () => {
  it("is only what may still begin a text", () => {
    const redactor = new Redactor(["secret", "retry"]);
    expect(String(redactor.push(Buffer.from("a sec")))).toBe("a ");
    expect(String(redactor.push(Buffer.from("ond\n")))).toBe("second\n");
    expect(String(redactor.push(Buffer.from("no secre")))).toBe("no ");
    expect(String(redactor.push(Buffer.from("t")))).toBe("***");
    expect(String(redactor.push(Buffer.from("r")))).toBe("");
    expect(String(redactor.push(Buffer.from("y!")))).toBe("!");
    expect(String(redactor.end())).toBe("");
  });

  it("comes out at the end", () => {
    const redactor = new Redactor(["secret"]);
    expect(String(redactor.push(Buffer.from("secre")))).toBe("");
    expect(String(redactor.end())).toBe("secre");
  });
});
