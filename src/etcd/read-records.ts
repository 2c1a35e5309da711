import { InvalidDataError, ServerError } from "../domain/errors.js";
import { MAX_DATA_SIZE } from "../store/data-file.js";
import { CompactedError, type Entry, type RangeAnswer } from "./answers.js";
import { type CommitTarget, endOf } from "./commit.js";
import { HEAD_KEY, StoreRecords } from "./records.js";

/** Records in the first answer. From their size follows how many the next one may have. */
const FIRST_PAGE = 1_000;
/** Records in one answer. For each, etcd visits all that are left: smaller ones take much longer in all. */
const MAX_PAGE = 10_000;
/** About the size of one answer. etcd has several copies of it in memory. */
const PAGE_BYTES = 8_000_000;

export interface ReadRecords {
  readonly records: StoreRecords;
  /** At which all of them were read. */
  readonly revision: number;
  readonly clusterId: string;
}

type Source = Pick<CommitTarget, "gateway" | "prefix" | "sealing">;

/**
 * Reads all records of a store at one revision.
 *
 * @param within milliseconds in which each request is tried again
 * @throws InvalidDataError that names the key; the errors of `Gateway.range`
 */
export function readRecords(source: Source, within: number, signal: AbortSignal): Promise<ReadRecords> {
  return readPages(source, within, signal).catch((error: unknown) => {
    // The history was compacted between two pages.
    if (error instanceof CompactedError) return readPages(source, within, signal);
    throw error;
  });
}

async function readPages(
  { gateway, prefix, sealing }: Source,
  within: number,
  signal: AbortSignal,
): Promise<ReadRecords> {
  const end = endOf(prefix);
  const records = new StoreRecords(prefix, sealing);
  const heads: Entry[] = [];
  const isHead = ({ key }: Entry) => key === prefix + HEAD_KEY;
  const read = (key: string, limit: number, revision?: number) => {
    const reading = gateway.range({ key, end, limit, revision, within }, signal);
    // Nobody waits for it if the page before it is invalid.
    reading.catch(() => {});
    return reading;
  };
  let next: Promise<RangeAnswer> | undefined = read(prefix, FIRST_PAGE);
  const { revision, clusterId } = await next;
  let size = 0;
  while (next) {
    const { entries, hasMore, ...page }: RangeAnswer = await next;
    if (page.clusterId !== clusterId) throw new ServerError("the members of the store are of several clusters", 200);
    const last = entries.at(-1);
    const bytes = entries.reduce((sum, { value }) => sum + value.length, 0);
    const limit = Math.min(MAX_PAGE, Math.ceil((entries.length * PAGE_BYTES) / Math.max(1, bytes)));
    // Asked for while this page is checked.
    next = hasMore && last ? read(`${last.key}\0`, limit, revision) : undefined;
    size += bytes;
    if (size > MAX_DATA_SIZE) throw new InvalidDataError("the data is too large");
    // The head comes last, since it may refer to others.
    heads.push(...entries.filter(isHead));
    records.apply(entries.filter((entry) => !isHead(entry)));
  }
  records.apply(heads);
  if (!records.head && !records.isEmpty)
    throw new InvalidDataError(`${prefix}${HEAD_KEY} is missing, although there are records`);
  return { records, revision, clusterId };
}
