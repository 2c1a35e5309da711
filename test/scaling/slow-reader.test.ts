import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createEtcdStore } from "../../src/etcd/open-store.js";
import { startEtcd } from "../support/etcd.js";
import { openEtcd } from "../support/etcd-store.js";
import { QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { textsData } from "./counters.js";
import { appvars, loadText, startWriter } from "./processes.js";
import { timeText } from "./replicas.js";

/** 12 MB that can't be compressed, in more parts than one answer has. */
const [VALUES, LENGTH] = [2_000, 8_000];
const PER_SECOND = 100;
const READING_S = QUICK ? 3 : 30;
const BYTES_PER_SECOND = (VALUES * LENGTH * 0.75 * (4 / 3)) / READING_S;
const PRUNE_EVERY_MS = QUICK ? 1_000 : 5_000;
/** It may have to begin again when there is a new snapshot. */
const MAX_TIMES = QUICK ? 10 : 3;

it(
  "finishes reading over a slow link while others write, prune and compact",
  needs("etcd"),
  async () => {
    const etcd = await startEtcd();
    const prefix = etcd.newPrefix();
    const access = etcd.access(etcd.storeUrl(prefix));
    const { url } = access.address;
    const noise = () => randomBytes((LENGTH * 3) / 4).toString("base64");
    const { values, ...data } = textsData(VALUES);
    await createEtcdStore(access, {
      ...data,
      values: values.map((each) => ({ ...each, content: { value: noise() } })),
    });
    const store = await openEtcd(access);
    const writer = startWriter(url, ["pace", PER_SECOND, PER_SECOND]);
    let prunes = 0;
    let isOver = false;
    const pruning = (async () => {
      for (; !isOver; prunes++) {
        await delay(PRUNE_EVERY_MS);
        await store.prune(100);
        // There may have been no write since the last time.
        await etcd.compact().catch(() => {});
      }
    })();
    const slowUrl = etcd.storeUrl(prefix, [
      await slowLink(etcd.members[0]?.port ?? 0, BYTES_PER_SECOND),
    ]);
    const words = ["get", "TEXT_2", "--store", slowUrl, "--env", "default/test"];
    const { code, stderr, milliseconds } = await appvars(...words);
    isOver = true;
    await pruning;
    writer.child.stdin?.end();
    const { stdout } = await writer.ended;
    const { acknowledged } = JSON.parse(stdout) as { acknowledged: number };
    report(
      "A slow reader",
      `get over a link on which it takes ${READING_S} s, beside ${PER_SECOND} writes a second; pruned and compacted every ${timeText(PRUNE_EVERY_MS)}`,
      `exit ${code} after ${timeText(milliseconds)}, ${acknowledged} writes and ${prunes} prunes meanwhile; ${loadText()}`,
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(prunes).toBeGreaterThan(1);
    expect(milliseconds).toBeLessThanOrEqual(MAX_TIMES * READING_S * 1_000);
  },
);

/**
 * A link on which bytes from the server are slow. Closed when the current test ends.
 *
 * @returns its port
 */
async function slowLink(target: number, bytesPerSecond: number): Promise<number> {
  const server = createServer((near) => {
    const far = connect({ host: "127.0.0.1", port: target, noDelay: true });
    near.on("error", () => far.destroy()).pipe(far);
    far.on("data", (chunk) => {
      near.write(chunk);
      far.pause();
      setTimeout(() => far.resume(), (chunk.length / bytesPerSecond) * 1_000);
    });
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
