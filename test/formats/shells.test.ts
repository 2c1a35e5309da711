import { expect, it } from "vitest";
import { writeFish, writeShell } from "../../src/formats/lines.js";
import { expectAllRefused, refusal, table } from "./consumers.js";
import { entriesOf, hasLoneSurrogate } from "./nasty-values.js";

const { held, refused } = table((text) => !text.includes("\0") && !hasLoneSurrogate(text));

it("values that an environment or UTF-8 can't hold are refused, all in one error", () => {
  expectAllRefused(writeShell, refused, held);
  expectAllRefused(writeFish, refused, held);
});

it("names that are not of a shell, or that a shell keeps, are refused with the reason", () => {
  const named = (...names: string[]) =>
    names.map((name) => ({ name, type: "STRING" as const, value: "secret" }));
  expect(
    refusal(writeShell, [
      ...named("a.b", "OK", "a-b", "UID", "OPTIND"),
      { ...named("K")[0], value: "\0" } as never,
    ]),
  ).toBe(
    "these can't be written as shell: a.b, a-b (not a shell name), " +
      "UID, OPTIND (reserved by the shell), K (its value contains a NUL)",
  );
  expect(refusal(writeFish, named("a.b", "status", "PWD", "OK"))).toBe(
    "these can't be written as fish: a.b (not a shell name), status, PWD (reserved by fish)",
  );
});

it("values that are no text are compact JSON", () => {
  expect(writeShell(entriesOf([{ a: ["it's", 1] }, true, 1.5, null]))).toBe(
    `export V0='{"a":["it'\\''s",1]}'\nexport V1='true'\nexport V2='1.5'\nexport V3='null'\n`,
  );
});

it("nothing is written for nothing", () => {
  expect(writeShell([])).toBe("");
  expect(writeFish([])).toBe("");
});
