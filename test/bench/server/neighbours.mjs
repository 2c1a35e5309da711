import { strict as assert } from "node:assert";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cpuSecondsOf } from "../shared/cpu-time.mjs";
import { EtcdProcess, freePorts } from "../shared/etcd-process.mjs";
import { pinnedToServerCore } from "./cores.mjs";
import { wrk } from "./wrk.mjs";

const KEYS = 1_000;
const VALUE = "x".repeat(100);
const CONNECTIONS = 32;
const REDIS_REQUESTS = 50_000;
const run = promisify(execFile);

/**
 * Servers that people know, which read one of 1,000 values of 100 characters by its key. They
 * authenticate and limit nobody.
 */
export async function startNeighbours(folder) {
  return [await startRedis(folder), await startEtcd(folder)];
}

async function startRedis(folder) {
  const [port] = await freePorts();
  const args = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "no",
  ];
  const child = spawn(...pinnedToServerCore("redis-server", args), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const text of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false }))
    if (text.includes("Ready to accept connections")) break;
  child.stdout.resume();
  const ask = (requests, command) =>
    run("redis-benchmark", [
      ...["-p", port, "-c", CONNECTIONS, "-n", requests, "-r", KEYS, "--csv"].map(String),
      ...command,
    ]);
  // Keys at random: enough requests for all of them.
  await ask(20 * KEYS, ["set", "key:__rand_int__", VALUE]);
  const measure = async () => {
    const before = cpuSecondsOf(child.pid);
    const { stdout } = await ask(REDIS_REQUESTS, ["get", "key:__rand_int__"]);
    const rate = Number(stdout.trim().split("\n").at(-1).split(",")[1].replaceAll('"', ""));
    return { rate, cpu: ((cpuSecondsOf(child.pid) - before) / REDIS_REQUESTS) * 1e6 };
  };
  const stop = async () => {
    child.kill();
    await once(child, "close");
  };
  return { name: "Redis", request: "`GET`", measure, stop };
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
