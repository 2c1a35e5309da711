import { expect, it } from "vitest";
import type { NamedValue } from "../../src/domain/variable.js";
import { EXPORT_FORMATS, IMPORT_FORMATS, READERS, WRITERS } from "../../src/formats/formats.js";
import { refusal } from "./consumers.js";

it("the formats are those of the command line", () => {
  const text = ["dotenv", "shell", "fish", "json", "yaml", "docker", "properties", "tfvars", "github"];
  expect(EXPORT_FORMATS).toEqual([...text, "kubernetes", "compose", "systemd", "powershell"]);
  expect(IMPORT_FORMATS).toEqual(["dotenv", "json", "yaml"]);
});

it.each(EXPORT_FORMATS)("%s refuses invalid names, which it would write unquoted", async (format) => {
  const write = await WRITERS[format]();
  const names = ["X; touch pwned", "A\nB", "", "1A", "é", "A=B", "a b", "N".repeat(256)];
  const message = refusal(
    write,
    [...names, "OK"].map((name) => ({ name, type: "STRING", value: "x" })),
  );
  expect(message).toBe(
    `these can't be written as ${format}: ${names.map((name) => `${name} (not a variable name)`).join(", ")}`,
  );
});

it.each(EXPORT_FORMATS)("%s never quotes a value in its errors", async (format) => {
  const write = await WRITERS[format]();
  const values = ["topsecret\0", "topsecret\n\r", "topsecret\ud800", "topsecret'\"`#\r", "topsecrete\u0301"];
  const entries: NamedValue[] = values.map((value, index) => ({ name: `V${index}`, type: "STRING", value }));
  expect(refusal(write, [...entries, { name: "1", type: "STRING", value: "topsecret" }])).not.toContain("topsecret");
});

/** Texts of every kind of quoting. */
const TEXTS = ["plain", "two words", "it's", 'say "hi"', "C:\\dir\\", `it's "x"`, "", "$HOME"];

function manyEntries(count: number): NamedValue[] {
  return Array.from({ length: count }, (_, index) => {
    return { name: `VARIABLE_${index}`, type: "STRING", value: TEXTS[index % TEXTS.length] + String(index) };
  });
}

/** Processor time, which other programs on the machine do not change, in microseconds. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Five times the entries may take nine times as long: a search through all entries for each would take 25 times. */
function expectLinear(work: (count: number) => void): void {
  work(1_000);
  const few = processorTime(() => work(6_000));
  expect(processorTime(() => work(30_000))).toBeLessThan(9 * Math.max(few, 100_000));
}

it.each(EXPORT_FORMATS)("%s takes a time for writing that grows no faster than the entries", async (format) => {
  const write = await WRITERS[format]();
  const entries = manyEntries(30_000);
  expectLinear((count) => write(entries.slice(0, count)));
});

it.each(IMPORT_FORMATS)("%s takes a time for reading that grows no faster than the entries", async (format) => {
  const [write, read] = await Promise.all([WRITERS[format](), READERS[format]()]);
  const entries = manyEntries(30_000);
  const texts = new Map([1_000, 6_000, 30_000].map((count) => [count, write(entries.slice(0, count))]));
  expectLinear((count) => {
    const last = read(texts.get(count) ?? "").at(-1);
    expect(last).toEqual({ name: `VARIABLE_${count - 1}`, value: entries[count - 1]?.value });
  });
});
