import { MAX_LIMIT } from "../domain/page.js";
import { VARIABLE } from "./examples.js";
import { ID, LIMIT, NAME, OFFSET } from "./schemas.js";

/** Parameters of requests. Those of a query that are not here are ignored. */
export const PARAMETERS = {
  limit: {
    name: "limit",
    in: "query",
    description: `The page size, sent at most once. More than ${MAX_LIMIT} is served as ${MAX_LIMIT}.`,
    schema: LIMIT,
    example: 2,
  },
  offset: {
    name: "offset",
    in: "query",
    description: "Items to skip, sent at most once. Past the end, `data` is empty.",
    schema: OFFSET,
    example: 0,
  },
  id: {
    name: "id",
    in: "path",
    required: true,
    description: "The id, in decimal without leading zeros.",
    schema: ID,
    example: 1,
  },
  variable_name: {
    name: "variable_name",
    in: "path",
    required: true,
    description: "The name, case-sensitive. What is not a name is answered 404.",
    schema: NAME,
    example: VARIABLE.name,
  },
  ifNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "The `ETag` of an earlier answer: 304 while it would be the same.",
    schema: { type: "string" },
    example: '"51-uWPVUCGB0OGHVI0t7vIDmoFxSTw"',
  },
};
