import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { writeCompose, writeKubernetes } from "../../src/formats/manifests.js";
import type { JsonValue } from "../../src/kit/text/strict-json.js";
import { asText, expectAllRefused, expectSame, refusal, table } from "./consumers.js";
import { entriesOf, hasLoneSurrogate } from "./nasty-values.js";

describe("kubernetes", () => {
  const { held, refused } = table((text) => !hasLoneSurrogate(text));

  function valuesOf(secret: { data: Record<string, string> }): Record<string, string> {
    return Object.fromEntries(
      Object.entries(secret.data).map(([key, value]) => [
        key,
        Buffer.from(value, "base64").toString(),
      ]),
    );
  }

  it.each(["1.1", "1.2"] as const)("a Secret holds every value, read as YAML %s", (version) => {
    const secret = parse(writeKubernetes(held, { name: "app.prod" }), { version });
    expect(secret).toMatchObject({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "app.prod" },
      type: "Opaque",
    });
    expectSame(valuesOf(secret), asText(held));
  });

  it("half a surrogate pair and a key of more than 253 characters are refused", () => {
    expectAllRefused(writeKubernetes, refused, held);
    const long = { name: "N".repeat(254), type: "STRING" as const, value: "x" };
    expect(refusal(writeKubernetes, [long])).toContain(
      "N (a key of a Secret has at most 253 characters)",
    );
  });

  it("values that are too large for one Secret are refused, and the largest is named", () => {
    const entries = entriesOf(["x".repeat(500_000), "x".repeat(548_576)]);
    expect(writeKubernetes(entries)).toContain("V1: ");
    expect(
      refusal(writeKubernetes, [
        ...entries,
        ...entriesOf(["x"]).map((entry) => ({ ...entry, name: "ONE" })),
      ]),
    ).toBe(
      "a Secret holds at most 1048576 bytes, and these values have 1048577; the largest is V1 with 548576",
    );
  });

  it("nothing to write is still a Secret", () => {
    expect(parse(writeKubernetes([]))).toMatchObject({ metadata: { name: "appvars" }, data: {} });
  });
});

describe("compose", () => {
  const { held, refused } = table((text) => !text.includes("\0") && !hasLoneSurrogate(text));

  /** The rules of compose-go's template package for a value of `environment`. */
  function interpolate(value: JsonValue): string {
    if (typeof value !== "string") throw new Error("not a string");
    return value.replace(/\$(\$|\w+|\{[^}]*\})?/g, (_, rest) => {
      if (rest !== "$") throw new Error("a variable, or an invalid one");
      return "$";
    });
  }

  it.each(["1.1", "1.2"] as const)("a service has every value, read as YAML %s", (version) => {
    const { services } = parse(writeCompose(held, { name: "web" }), { version });
    expect(Object.keys(services)).toEqual(["web"]);
    const environment: Record<string, JsonValue> = services.web.environment;
    const read = Object.entries(environment).map(([name, value]) => [name, interpolate(value)]);
    expectSame(Object.fromEntries(read), asText(held));
  });

  it("values that an environment or UTF-8 can't hold are refused, all in one error", () => {
    expectAllRefused(writeCompose, refused, held);
  });
});
