// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are templates of HCL
import { expect, it } from "vitest";
import { writeTfvars } from "../../src/formats/lines.js";
import type { NamedValue } from "../../src/model/variable.js";
import { asJson, expectAllRefused, expectSame, refusal, table } from "./consumers.js";
import { entriesOf, hasLoneSurrogate } from "./nasty-values.js";
import { readTfvars } from "./read-tfvars.js";

const { held, refused } = table(
  (text) => !hasLoneSurrogate(text) && text === text.normalize("NFC"),
);

const named = (name: string, value: NamedValue["value"] = "x"): NamedValue => ({
  name,
  type: "JSON",
  value,
});

it("HCL's rules preserve every value", () => {
  expectSame(readTfvars(writeTfvars(held)), asJson(held));
});

it("writeTfvars refuses strings that HCL can't hold or would change, and names that are not HCL", () => {
  expectAllRefused(
    writeTfvars,
    [...refused, named("V9998", { "\ud800": 1 }), named("V9999", [["e\u0301"]])],
    held,
  );
  expect(
    refusal(writeTfvars, [
      named("a.b"),
      named("a-b"),
      named("count"),
      named("_"),
      named("K", "e\u0301"),
    ]),
  ).toBe(
    "these can't be written as tfvars: a.b (not an HCL name), count, _ (reserved by Terraform), " +
      "K (its value is not in Unicode's form NFC, as required by HCL)",
  );
});

it("writeTfvars writes JSON values as HCL literals", () => {
  expect(
    writeTfvars(entriesOf(["${a} %{b} $c", 1.5, true, null, [1, "x"], { a: {}, "b c": [] }])),
  ).toBe(
    'V0 = "$${a} %%{b} $c"\nV1 = 1.5\nV2 = true\nV3 = null\nV4 = [1, "x"]\nV5 = { "a" = {}, "b c" = [] }\n',
  );
});
