import { readFileSync } from "node:fs";
import { parse } from "yaml";

const METHODS = ["get", "head"] as const;

export interface Document {
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<(typeof METHODS)[number], Operation>>;
  components: {
    schemas: Record<
      string,
      { additionalProperties: boolean; required: string[]; properties: object }
    >;
    securitySchemes: { signature: { description: string } };
  };
}

interface Operation {
  operationId: string;
  responses: Record<string, object>;
}

export interface DescribedResponse {
  headers: Record<string, { required: boolean; schema: object }>;
  content?: Record<string, { schema: object }>;
}

export const DOCUMENT: Document = parse(
  readFileSync(new URL("../../data/openapi.yaml", import.meta.url), "utf8"),
);

/** The operations, by id, with their place. */
export const OPERATIONS = new Map(
  Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
    METHODS.map(
      (method) =>
        [
          item[method].operationId,
          { path, method: method.toUpperCase(), ...item[method] },
        ] as const,
    ),
  ),
);

/**
 * The description of an operation's answer with this status, with references resolved; undefined if
 * there is none.
 */
export function describedResponse(
  operationId: string,
  status: number,
): DescribedResponse | undefined {
  return resolve(OPERATIONS.get(operationId)?.responses[status]) as DescribedResponse | undefined;
}

function resolve(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item));
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value) return resolve(target(String(value.$ref)));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]));
}

/** The place that `#/components/headers/ETag` points to. */
function target(reference: string): unknown {
  const keys = reference.split("/").slice(1);
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], DOCUMENT);
}
