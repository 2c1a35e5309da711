import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Answer } from "../support/http.js";
import { type DescribedResponse, describedResponse } from "./document.js";

const ajv = new Ajv2020({ strict: false, validateFormats: false });

// Sent by any HTTP server, and not described in OpenAPI.
const TRANSPORT_HEADERS = ["connection", "content-length", "content-type", "date", "keep-alive"];

/**
 * Each way in which an answer differs from the description of its status: in headers, media type or
 * body.
 */
export function answerProblems(operationId: string, answer: Answer): string[] {
  const described = describedResponse(operationId, answer.status);
  if (!described) return [`status ${answer.status} is not described`];
  return [...headerProblems(described, answer), ...bodyProblems(described, answer)];
}

function headerProblems(described: DescribedResponse, { headers }: Answer): string[] {
  const known = new Map(
    Object.entries(described.headers).map(([name, header]) => [name.toLowerCase(), header]),
  );
  const missing = [...known].filter(
    ([name, { required }]) => required && headers[name] === undefined,
  );
  const received = Object.entries(headers).filter(([name]) => !TRANSPORT_HEADERS.includes(name));
  return [
    ...missing.map(([name]) => `header ${name} is missing`),
    ...received.flatMap(([name, value]) => {
      const schema = known.get(name)?.schema;
      return schema
        ? schemaProblems(`header ${name}`, schema, headerValue(schema, value))
        : [`header ${name} is not described`];
    }),
  ];
}

/** A header with a number is text until its schema says otherwise. */
function headerValue(schema: object, value: unknown): unknown {
  return "type" in schema && schema.type === "integer" && /^\d+$/.test(String(value))
    ? Number(value)
    : value;
}

function bodyProblems({ content }: DescribedResponse, { headers, json }: Answer): string[] {
  if (!content) return json === undefined ? [] : ["a body that is not described"];
  const media = headers["content-type"]?.split(";")[0] ?? "";
  const described = content[media];
  return described
    ? schemaProblems("body", described.schema, json)
    : [`media type ${media} is not described`];
}

/** By the text of their schemas, which the document repeats in each operation. */
const compiled = new Map<string, ValidateFunction>();

function schemaProblems(place: string, schema: object, value: unknown): string[] {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [place + instancePath, message, JSON.stringify(params)].join(" "),
  );
}
