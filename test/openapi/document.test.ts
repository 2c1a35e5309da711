import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import * as defaults from "../../src/model/defaults.js";
import { STALE_DATA, staleStoreMessage } from "../../src/model/reads/health.js";
import { limitError, MAX_LIMIT, pageBounds } from "../../src/model/reads/page.js";
import { ROUTES } from "../../src/model/reads/routes.js";
import { ENVELOPE_PREFIX, NAME_PATTERN, VARIABLE_TYPES } from "../../src/model/variable.js";
import * as replies from "../../src/server/api/error-replies.js";
import { DEFAULT_TOLERANCE } from "../../src/signing/sign.js";
import { signByHand } from "../support/sign-by-hand.js";
import { DOCUMENT } from "./document.js";

it("the OpenAPI document has the version of the package", () => {
  expect(DOCUMENT.info.version).toBe(packageJson.version);
});

it("the OpenAPI document has every route, and no other path", () => {
  const routes = Object.values(ROUTES).map((route) =>
    route.replace(":id", "{id}").replace(":name", "{variable_name}"),
  );
  expect(Object.keys(DOCUMENT.paths)).toEqual(routes);
});

it("no object of a body may have other fields than those described", () => {
  for (const schema of Object.values(DOCUMENT.components.schemas)) {
    expect(schema.additionalProperties).toBe(false);
    expect(schema.required).toEqual(Object.keys(schema.properties));
  }
});

it("the OpenAPI document has the limits, defaults and messages of the server", () => {
  const { limit, offset } = pageBounds({});
  const id = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
  expect(DOCUMENT).toMatchObject({
    servers: [{ url: defaults.DEFAULT_URL }],
    components: {
      schemas: {
        PageMetadata: { properties: { limit: { maximum: MAX_LIMIT } } },
        Variable: {
          properties: {
            id,
            type: { enum: VARIABLE_TYPES },
            name: { pattern: NAME_PATTERN.source },
          },
        },
        VariablePage: { properties: { data: { maxItems: MAX_LIMIT } } },
        ValueContent: {
          properties: {
            value: { description: expect.stringContaining(`\`${ENVELOPE_PREFIX}\``) },
          },
        },
        VariableValue: { properties: { id, variable_id: id } },
        VariableValuePage: { properties: { data: { maxItems: MAX_LIMIT } } },
      },
      parameters: {
        limit: {
          schema: { default: limit },
          description: expect.stringContaining(`counts as ${MAX_LIMIT}.`),
        },
        offset: { schema: { default: offset } },
      },
      headers: { "RateLimit-Limit": { example: defaults.DEFAULT_RATE_LIMIT } },
      responses: {
        400: error(replies.errorReply(400, limitError().message)),
        401: error(replies.UNAUTHORIZED),
        404: error(replies.notFound()),
        405: error(replies.METHOD_NOT_ALLOWED),
        414: error(replies.TARGET_TOO_LONG),
        429: error(replies.TOO_MANY_REQUESTS),
        500: error(replies.INTERNAL_ERROR),
        503: error(replies.NOT_RECORDED),
      },
    },
    paths: {
      "/healthz": {
        get: {
          responses: {
            200: examples({ stale: { value: { message: staleStoreMessage(45_000) } } }),
            503: examples({ unhealthy: { value: { message: STALE_DATA } } }),
          },
        },
      },
    },
  });
  const { past, future } = DEFAULT_TOLERANCE;
  const { DEFAULT_RATE_LIMIT, DEFAULT_RATE_WINDOW, KEYLESS_LIMIT } = defaults;
  const text = JSON.stringify(DOCUMENT);
  expect(text).toContain(
    `${DEFAULT_RATE_LIMIT.toLocaleString("en")} requests in ${DEFAULT_RATE_WINDOW} s`,
  );
  expect(text).toContain(`${past} s in the past and ${future} s in the future`);
  expect(text).toContain(`(${KEYLESS_LIMIT} by default)`);
});

function error({ body }: { body: string }) {
  return examples({ error: { value: JSON.parse(body) } });
}

function examples(named: object) {
  return { content: { "application/json": { examples: named } } };
}

it("the example signature follows from its parts by the contract", () => {
  const timestamp = 1_700_000_000_000;
  const header = signByHand({
    secret: "example-secret",
    timestamp,
    route: "/v1/variables?limit=2",
  });
  expect(DOCUMENT.components.securitySchemes.signature.description).toContain(
    `Authorization: ${header}\n`,
  );
});

describe("each example is valid by its schema", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(
    DOCUMENT,
    "document",
  );

  it.each(placesOf("schema", DOCUMENT))(
    "each example at %s is valid by its schema",
    (pointer, place) => {
      const isValid = ajv.compile({ $ref: `document#${pointer}/schema` });
      const named = Object.values((place["examples"] ?? {}) as Record<string, { value: unknown }>);
      const examples = "example" in place ? [place["example"]] : named.map(({ value }) => value);
      expect(examples).not.toEqual([]);
      for (const example of examples)
        expect(isValid(example), ajv.errorsText(isValid.errors)).toBe(true);
    },
  );
});

/** Every object with this field, with the JSON Pointer to it. */
function placesOf(
  field: string,
  value: unknown,
  pointer = "",
): [string, Record<string, unknown>][] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    placesOf(field, item, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
  return field in value ? [[pointer, value as Record<string, unknown>], ...inner] : inner;
}
