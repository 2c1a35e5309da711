import { Writable } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LogWriter } from "../../../src/cli/output/log-writer.js";
import type { Output } from "../../../src/cli/output/output.js";

const KIB = "x".repeat(1_023);

/** A stream that completes a write when `answer` is called. */
function heldStream() {
  const written: string[] = [];
  let done: (error?: Error) => void = () => {};
  const stream: Output = new Writable({
    decodeStrings: false,
    highWaterMark: 1,
    write(chunk: string, _encoding, callback) {
      written.push(chunk);
      done = callback;
    },
  });
  return { stream, written, answer: () => done() };
}

function writerTo(stream: Output): LogWriter {
  return new LogWriter(stream, (count) => `dropped ${count}`);
}

function add(writer: LogWriter, line: string): void {
  if (!writer.drops()) writer.writeSoon(line);
}

describe("a log that is not read", () => {
  it("takes a bounded amount of memory, and then reports the number of missing lines", async () => {
    const { stream, written, answer } = heldStream();
    const writer = writerTo(stream);
    for (let count = 0; count < 2_000; count++) add(writer, KIB);
    const kept = () => written.join("").split("\n").length - 1;
    expect(written).toHaveLength(1);
    answer();
    await vi.waitFor(() => expect(written).toHaveLength(2));
    expect(written.join("").length).toBeLessThan(350_000);
    const [, dropped] = /dropped (\d+)\n$/.exec(written[1] ?? "") ?? [];
    expect(kept() - 1 + Number(dropped)).toBe(2_000);
    answer();
    add(writer, "again");
    await vi.waitFor(() => expect(written[2]).toBe("again\n"));
  });

  it("keeps the order of lines that are written at once and lines that wait for others", async () => {
    const { stream, written, answer } = heldStream();
    const writer = writerTo(stream);
    writer.writeSoon("1");
    writer.writeSoon("2");
    expect(written).toEqual([]);
    writer.write("3");
    writer.writeSoon("4");
    writer.write("5");
    expect(written).toEqual(["1\n2\n3\n"]);
    answer();
    await vi.waitFor(() => expect(written[1]).toBe("4\n5\n"));
  });
});

describe("a log that can't be written", () => {
  it("reports the number of missing lines once it can", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const written: string[] = [];
    let isFull = true;
    const stream = {
      destroyed: false,
      write: (text: string, done: (error?: Error) => void) => {
        if (!isFull) written.push(text);
        done(isFull ? new Error("ENOSPC") : undefined);
      },
    } as unknown as Output;
    const writer = writerTo(stream);
    for (const line of ["1", "2", "3"]) add(writer, line);
    await vi.advanceTimersByTimeAsync(3_500);
    add(writer, "4");
    expect(written).toEqual([]);
    isFull = false;
    await vi.advanceTimersByTimeAsync(1_000);
    add(writer, "5");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(written).toEqual(["dropped 4\n", "5\n"]);
  });

  it("is not written any more after its stream was closed, and takes a bounded amount of memory", async () => {
    const { stream, written } = heldStream();
    stream.destroy();
    const writer = writerTo(stream);
    for (let count = 0; count < 1_000; count++) add(writer, KIB);
    await new Promise(setImmediate);
    expect(written).toEqual([]);
    expect(writer.drops()).toBe(true);
  });
});
