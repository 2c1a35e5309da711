import { expect, it } from "vitest";
import type { Entry } from "../../src/formats/entry.js";
import { EXPORT_FORMATS, IMPORT_FORMATS, READERS, WRITERS } from "../../src/formats/formats.js";
import { refusal } from "./consumers.js";

it("the formats are the ones of the command line", () => {
  const text = ["dotenv", "shell", "fish", "json", "yaml", "docker", "properties", "tfvars", "github"];
  expect(EXPORT_FORMATS).toEqual(text);
  expect(IMPORT_FORMATS).toEqual(["dotenv", "json", "yaml"]);
});

it.each(EXPORT_FORMATS)("%s refuses a name that no variable has, as it would write it unquoted", async (format) => {
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
  const entries: Entry[] = values.map((value, index) => ({ name: `V${index}`, type: "STRING", value }));
  expect(refusal(write, [...entries, { name: "1", type: "STRING", value: "topsecret" }])).not.toContain("topsecret");
});

const MANY: Entry[] = Array.from({ length: 100_000 }, (_, index) => ({
  name: `VARIABLE_${index}`,
  type: "STRING",
  value: ["plain", "two words", "it's", 'say "hi"', "C:\\dir\\", `it's "x"`, "", "$HOME"][index % 8] + String(index),
}));

it.each(EXPORT_FORMATS)("%s writes 100,000 variables in a time that grows no faster than they do", async (format) => {
  const write = await WRITERS[format]();
  const started = performance.now();
  const text = write(MANY);
  expect(performance.now() - started).toBeLessThan(15_000);
  expect(text.length).toBeGreaterThan(1_000_000);
});

it.each(IMPORT_FORMATS)("%s reads 100,000 variables back in such a time", async (format) => {
  const [write, read] = await Promise.all([WRITERS[format](), READERS[format]()]);
  const text = write(MANY);
  const started = performance.now();
  const entries = read(text);
  expect(performance.now() - started).toBeLessThan(15_000);
  expect(entries).toHaveLength(MANY.length);
  expect(entries.at(-1)).toEqual({ name: "VARIABLE_99999", value: MANY.at(-1)?.value });
});
