import { expect, it } from "vitest";
import { writeSystemd } from "../../src/formats/lines.js";
import { expectAllRefused, refusal, table } from "./consumers.js";
import { entriesOf, hasLoneSurrogate } from "./nasty-values.js";

const { held, refused } = table(
  (text) =>
    !text.includes("\0") && !hasLoneSurrogate(text) && !/\p{Noncharacter_Code_Point}/u.test(text),
);

it("values that systemd refuses are refused", () => {
  expectAllRefused(writeSystemd, refused, held);
  const named = ["a.b", "a-b", "OK"].map((name) => ({ name, type: "STRING" as const, value: "x" }));
  expect(refusal(writeSystemd, named)).toBe(
    "these can't be written as systemd: a.b, a-b (not a shell name)",
  );
});

it("a variable for systemd may have up to 128 KiB, as in Linux", () => {
  const longest = 131_072 - "V0=".length - 1;
  expect(writeSystemd(entriesOf(["x".repeat(longest)]))).toContain("V0=");
  expect(refusal(writeSystemd, entriesOf(["x".repeat(longest + 1)]))).toContain(
    "V0 (it is longer than Linux's limit",
  );
});
