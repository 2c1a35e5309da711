import type { openapiDocument } from "../../src/openapi/document.js";

export type Document = ReturnType<typeof openapiDocument>;

export interface DescribedResponse {
  headers: Record<string, { required: boolean; schema: { pattern?: string; const?: string; minimum?: number } }>;
}

/** The operations, by id. */
export function operationsOf(document: Document) {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  return new Map(operations.map((operation) => [operation.operationId, operation]));
}

/** The description of an operation's answer with this status, with references resolved. */
export function describedResponse(document: Document, operationId: string, status: number): DescribedResponse {
  const described = operationsOf(document).get(operationId)?.responses[status];
  if (described === undefined) throw new Error(`${operationId} has no response ${status} in the document`);
  return resolve(document, described) as DescribedResponse;
}

function resolve(document: object, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(document, item));
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value) return resolve(document, target(document, String(value.$ref)));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(document, item)]));
}

/** What `#/components/headers/ETag` points to. */
function target(document: object, reference: string): unknown {
  const keys = reference.split("/").slice(1);
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document);
}
