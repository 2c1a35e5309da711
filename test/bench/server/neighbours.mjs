import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cpuSecondsOf } from "../shared/cpu-time.mjs";
import { EtcdProcess } from "../shared/etcd-process.mjs";
import { pinnedToServerCore } from "./cores.mjs";
import { wrk } from "./wrk.mjs";

const KEYS = 1_000;
const VALUE = "x".repeat(100);

/**
 * Servers that people know, which read one of 1,000 values of 100 characters by its key. They
 * authenticate and limit nobody.
 */
export async function startNeighbours(folder) {
  return [await startEtcd(folder)];
}

async function startEtcd(folder) {
  const etcd = await EtcdProcess.start(join(folder, "etcd"), pinnedToServerCore);
  const url = etcd.url.replace("etcd:", "http:");
  const shownKey = (index) => Buffer.from(`key:${index}`).toString("base64");
  const value = Buffer.from(VALUE).toString("base64");
  const post = async (path, body) => {
    const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
    assert.equal(answer.status, 200);
    return answer.json();
  };
  for (let index = 0; index < KEYS; index++)
    await post("/v3/kv/put", { key: shownKey(index), value });
  assert.equal((await post("/v3/kv/range", { key: shownKey(1) })).kvs[0].value, value);
  const file = join(folder, "etcd.http");
  const bodies = Array.from({ length: KEYS }, (_, index) =>
    JSON.stringify({ key: shownKey(index) }),
  );
  const requests = bodies.map(
    (body) =>
      `POST /v3/kv/range HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n\r\n${body}\0`,
  );
  writeFileSync(file, requests.join(""));
  const measure = async () => {
    const before = cpuSecondsOf(etcd.pid);
    const { requests, seconds, errorStatuses } = await wrk(url, file, 1);
    assert.equal(errorStatuses, 0);
    return { rate: requests / seconds, cpu: ((cpuSecondsOf(etcd.pid) - before) / requests) * 1e6 };
  };
  return { name: "etcd", request: "`/v3/kv/range` by key, JSON", measure, stop: () => etcd.stop() };
}
