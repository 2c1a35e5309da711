import { gzipSync } from "node:zlib";
import { logKey, partKey } from "../../src/etcd/log.js";
import type { EtcdCluster } from "./etcd.js";

/** Content of a data file, of which nothing is known. */
type Content = Record<string, unknown>;

/** Keys and texts, by hand. */
export type Texts = Readonly<Record<string, string | Buffer>>;

/** The id of a write or store, by hand. */
export function idByHand(text: string): string {
  return text.padEnd(22, "_");
}

/**
 * The keys of a store with this data, after the prefix.
 *
 * @param write identifies the write that made it
 */
export function storeOf(data: unknown, write = "by-hand", version = 1): Texts {
  const [id, upload] = [idByHand(write), idByHand(`${write}-data`)];
  const text = JSON.stringify(sorted(data as Content));
  const snapshot = { version, write: id, upload, parts: 1, bytes: Buffer.byteLength(text) };
  const { last_ids } = data as Content;
  const entry = {
    write: id,
    previous: id,
    time: "2026-01-31T12:00:00.000Z",
    actor: "hand@test",
    command: "init",
  };
  return {
    head: JSON.stringify({ format: 2, store: idByHand("store"), version, write: id, snapshot }),
    [logKey(version)]: JSON.stringify({
      ...entry,
      ...(last_ids !== undefined && { last_ids }),
      changes: [],
    }),
    [partKey(upload, 0)]: gzipSync(text),
    [`uploads/${upload}`]: "snapshot",
  };
}

/**
 * The keys that change with the next write by hand: the head and an entry.
 *
 * @param changes as in an entry
 */
export function nextOf(
  store: Texts,
  changes: unknown,
  write = "next",
): Record<"head" | "entry", { key: string; json: Content }> {
  const head = JSON.parse(String(store["head"]));
  const [version, id] = [head.version + 1, idByHand(write)];
  const entry = {
    write: id,
    previous: head.write,
    time: "2026-01-31T12:00:00.000Z",
    actor: "hand@test",
    command: "set",
  };
  return {
    head: { key: "head", json: { ...head, version, write: id } },
    entry: { key: logKey(version), json: { ...entry, changes } },
  };
}

/** With the lists sorted by id. */
function sorted(data: Content): Content {
  const lists = ["environments", "variables", "values"].map((list) => {
    const records = data[list] as { id: number }[];
    return [list, records.toSorted((a, b) => a.id - b.id)] as const;
  });
  return { ...data, ...Object.fromEntries(lists) };
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
export async function readByHand(
  etcd: EtcdCluster,
  prefix: string,
): Promise<Record<string, string>> {
  const answer = await etcd.call("kv/range", {
    key: base64(`${prefix}/`),
    range_end: base64(`${prefix}0`),
  });
  const entries = (answer["kvs"] ?? []) as { key: string; value?: string }[];
  const decode = (text: string) => Buffer.from(text, "base64").toString();
  return Object.fromEntries(
    entries.map(({ key, value = "" }) => [decode(key).slice(prefix.length + 1), decode(value)]),
  );
}

function base64(text: string | Buffer): string {
  return Buffer.from(text).toString("base64");
}
