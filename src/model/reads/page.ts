import { UsageError } from "../../kit/text/errors.js";
import { InconsistentAnswersError } from "../errors.js";

const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 1_000;

export interface PageRequest {
  /** Maximum number of items, 1 or more; over 1,000 counts as 1,000. Default 50. */
  limit?: number;
  /** Items to skip, 0 or more. Default 0. */
  offset?: number;
}

export interface PageMetadata {
  /** The limit and offset in effect. */
  limit: number;
  offset: number;
  /** The number of items in the whole list. */
  total: number;
}

export interface Page<T> {
  metadata: PageMetadata;
  data: T[];
}

/**
 * Returns the bounds in effect for a request.
 *
 * @throws UsageError with the bounds of the parameter
 */
export function pageBounds({
  limit = DEFAULT_LIMIT,
  offset = 0,
}: PageRequest = {}): Required<PageRequest> {
  if (!Number.isInteger(limit) || limit < 1) throw limitError();
  if (!Number.isSafeInteger(offset) || offset < 0) throw offsetError();
  return { limit: Math.min(limit, MAX_LIMIT), offset };
}

export function limitError(): UsageError {
  return new UsageError(
    `limit must be a whole number of 1 or more (over ${MAX_LIMIT} counts as ${MAX_LIMIT})`,
  );
}

export function offsetError(): UsageError {
  return new UsageError("offset must be a whole number of 0 or more");
}

export function paginate<T>(items: readonly T[], request: PageRequest = {}): Page<T> {
  const { limit, offset } = pageBounds(request);
  return {
    metadata: { limit, offset, total: items.length },
    data: items.slice(offset, offset + limit),
  };
}

/**
 * Reads the pages of a list, in order.
 *
 * @throws InconsistentAnswersError when the lengths, or the ids, which are not
 *   reused, show that the pages are not of one list
 */
export async function* readPages<T extends { readonly id: number }>(
  list: (page: PageRequest) => Promise<Page<T>>,
): AsyncGenerator<Page<T>, undefined> {
  let total: number | undefined;
  let [read, lastId] = [0, 0];
  do {
    const page = await list({ limit: MAX_LIMIT, offset: read });
    const { data, metadata } = page;
    if (metadata.total !== (total ?? metadata.total))
      throw new InconsistentAnswersError(
        `the length of a list changed from ${total} to ${metadata.total}`,
      );
    total = metadata.total;
    if ((data[0]?.id ?? Number.POSITIVE_INFINITY) <= lastId)
      throw new InconsistentAnswersError("the server repeats ids in the pages of a list");
    read += data.length;
    lastId = data.at(-1)?.id ?? lastId;
    if (data.length === 0 && read < total)
      throw new InconsistentAnswersError("the server leaves out the end of a list");
    yield page;
  } while (read < total);
}

export async function readAll<T extends { readonly id: number }>(
  list: (page: PageRequest) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  for await (const { data } of readPages(list)) for (const item of data) items.push(item);
  return items;
}
