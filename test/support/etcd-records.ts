import type { EtcdCluster } from "./etcd.js";

/** Content of a data file, of which nothing is known. */
type Content = Record<string, unknown>;

/** Keys and texts, by hand. */
export type Texts = Readonly<Record<string, string | Buffer>>;

/** The records of a store with this data, by their keys after the prefix. @param write the id of the write that made it */
export function recordsOf(data: unknown, write = "by-hand"): Texts {
  const { $schema, last_ids, environments, variables, values } = data as Content;
  const head = { format: 1, write, file: { $schema, last_ids } };
  const lists = Object.entries({ environments, variables, values }).flatMap(([list, records]) =>
    (records as { id: number }[]).map((record) => [`${list}/${record.id}`, JSON.stringify(record)]),
  );
  return { ...Object.fromEntries(lists), head: JSON.stringify(head) };
}

/** Writes keys below a prefix in one transaction, without appvars; undefined removes one. */
export async function putByHand(
  etcd: EtcdCluster,
  prefix: string,
  texts: Readonly<Record<string, string | Buffer | undefined>>,
): Promise<void> {
  const success = Object.entries(texts).map(([name, text]) => {
    const key = base64(`${prefix}/${name}`);
    if (text === undefined) return { request_delete_range: { key } };
    return { request_put: { key, value: base64(text) } };
  });
  await etcd.call("kv/txn", { success });
}

/** The records below a prefix, as texts by the rest of their keys. */
export async function readByHand(etcd: EtcdCluster, prefix: string): Promise<Record<string, string>> {
  const answer = await etcd.call("kv/range", { key: base64(`${prefix}/`), range_end: base64(`${prefix}0`) });
  const entries = (answer["kvs"] ?? []) as { key: string; value?: string }[];
  const decode = (text: string) => Buffer.from(text, "base64").toString();
  return Object.fromEntries(
    entries.map(({ key, value = "" }) => [decode(key).slice(prefix.length + 1), decode(value)]),
  );
}

function base64(text: string | Buffer): string {
  return Buffer.from(text).toString("base64");
}
