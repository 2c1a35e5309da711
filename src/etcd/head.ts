import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { InvalidDataError } from "../domain/errors.js";
import type { Data } from "../store/data.js";

/**
 * The record that every write replaces, so that of concurrent writers only one succeeds. It holds the data
 * besides the lists. It is never sealed.
 */
export interface Head {
  readonly format: typeof FORMAT;
  /** Identifies the write that made it. */
  readonly write: string;
  readonly file: Pick<Data, "$schema" | "last_ids">;
  readonly pending?: Pending | undefined;
}

/** A write with more changes than one transaction can have: its parts belong to the data, and are to be moved to it. */
export interface Pending {
  readonly id: string;
  readonly parts: number;
}

const FORMAT = 1;

const id = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/));
const lastId = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const HEAD = v.strictObject({
  format: v.literal(FORMAT),
  write: id,
  file: v.strictObject({
    $schema: v.optional(v.string()),
    last_ids: v.optional(v.strictObject({ environments: lastId, variables: lastId, values: lastId })),
  }),
  pending: v.optional(v.strictObject({ id, parts: v.pipe(v.number(), v.safeInteger(), v.minValue(1)) })),
});

/** @throws InvalidDataError with a predicate as its message */
export function parseHead(text: string): Head {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new InvalidDataError("is not valid JSON");
  }
  const format = (content as { format?: unknown } | null)?.format;
  if (Number.isSafeInteger(format) && format !== FORMAT)
    throw new InvalidDataError(`has the format ${format}; this appvars reads format ${FORMAT}`);
  const result = v.safeParse(HEAD, content);
  if (!result.success) throw new InvalidDataError("breaks a rule");
  return result.output as Head;
}

export function newHead({ $schema, last_ids }: Data, write: string, pending?: Pending): Head {
  const file = { ...($schema !== undefined && { $schema }), ...(last_ids && { last_ids }) };
  return { format: FORMAT, write, file, ...(pending && { pending }) };
}

/** For a write: 128 random bits. */
export function newWriteId(): string {
  return randomBytes(16).toString("base64url");
}
