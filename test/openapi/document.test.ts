import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/domain/routes.js";
import { openapiDocument } from "../../src/openapi/document.js";
import { EXAMPLE_SECRET, SIGNED_EXAMPLE } from "../../src/openapi/security.js";
import { signByHand } from "../support/sign-by-hand.js";

const DOCUMENT = openapiDocument("1.2.3");

it("the OpenAPI document has the version of the package", () => {
  expect(DOCUMENT.info.version).toBe("1.2.3");
});

it("the OpenAPI document has every route, and no other path", () => {
  const routes = Object.values(ROUTES).map((route) => route.replace(":id", "{id}").replace(":name", "{variable_name}"));
  expect(Object.keys(DOCUMENT.paths)).toEqual(routes);
});

it("the OpenAPI document has GET and HEAD for each path", () => {
  for (const path of Object.values(DOCUMENT.paths)) expect(Object.keys(path)).toEqual(["get", "head"]);
});

it("no object of a body may have other fields than those described", () => {
  for (const schema of Object.values(DOCUMENT.components.schemas)) {
    expect(schema.additionalProperties).toBe(false);
    expect(schema.required).toEqual(Object.keys(schema.properties));
  }
});

describe("the example of a signature", () => {
  const { timestamp, route } = SIGNED_EXAMPLE;

  it("the example of a signature is what the contract makes of its parts", () => {
    const header = signByHand({ secret: EXAMPLE_SECRET, timestamp, route });
    expect(DOCUMENT.components.securitySchemes.signature.description).toContain(`Authorization: ${header}\n`);
  });
});

describe("each example is valid by its schema", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(DOCUMENT, "document");

  it.each(placesOf("schema", DOCUMENT))("each example at %s is valid by its schema", (pointer, place) => {
    const isValid = ajv.compile({ $ref: `document#${pointer}/schema` });
    const named = Object.values((place["examples"] ?? {}) as Record<string, { value: unknown }>);
    const examples = "example" in place ? [place["example"]] : named.map(({ value }) => value);
    expect(examples).not.toEqual([]);
    for (const example of examples) expect(isValid(example), ajv.errorsText(isValid.errors)).toBe(true);
  });
});

/** Every object with this field, with the JSON Pointer to it. */
function placesOf(field: string, value: unknown, pointer = ""): [string, Record<string, unknown>][] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    placesOf(field, item, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
  return field in value ? [[pointer, value as Record<string, unknown>], ...inner] : inner;
}
