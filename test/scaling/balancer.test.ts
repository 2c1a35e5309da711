import { once } from "node:events";
import { cp, readFile, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEtcdStore } from "../../src/etcd/open-store.js";
import { httpPeer } from "../client/peer.js";
import { BINARY, start } from "../support/binary.js";
import { type EtcdCluster, startEtcd } from "../support/etcd.js";
import { QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { tcpProxy } from "../support/tcp-proxy.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { countersData, KEY, SECRET } from "./counters.js";
import { set } from "./processes.js";
import { startReplica, timeText } from "./replicas.js";

/** After the change, in which no other restart may come. */
const MORE_REQUESTS = QUICK ? 4 : 100;
const MAX_RESTORED_MS = 10_000;

describe(
  "a program behind a balancer that sends each request to the next of two replicas",
  needs("etcd"),
  () => {
    it("is restarted once by a change while one replica is cut off", async () => {
      const { etcd, url, link, balancer, values } = await startProgram();
      await link.cut();
      const startedAt = performance.now();
      await set(url, "SET", "new");
      await expect.poll(values).toEqual(["old", "new"]);
      const took = performance.now() - startedAt;
      const before = balancer.requests();
      await expect
        .poll(() => balancer.requests(), { timeout: 600_000 })
        .toBeGreaterThan(before + MORE_REQUESTS);
      report(
        "One of two replicas is cut off",
        `a balancer sends each request to the next; one set under run --watch=1s, then ${MORE_REQUESTS} more requests`,
        `${(await values()).length - 1} restart, ${timeText(took)} after the set began`,
      );
      expect(await values()).toEqual(["old", "new"]);
      expect(etcd.members).toHaveLength(1);
    });

    it("is restarted once when the cluster is restored from a backup while one replica is cut off", async () => {
      const { etcd, url, link, balancer, values } = await startProgram();
      const [member] = etcd.members;
      const folder = member?.folder ?? "";
      const backup = join(await temporaryFolder(), "backup");
      await member?.process.kill();
      await cp(folder, backup, { recursive: true });
      await member?.process.start();
      await set(url, "SET", "new");
      await expect.poll(values).toEqual(["old", "new"]);
      await link.cut();
      await member?.process.kill();
      await rm(folder, { recursive: true });
      await cp(backup, folder, { recursive: true });
      const restoredAt = performance.now();
      await member?.process.start();
      await expect.poll(values).toEqual(["old", "new", "old"]);
      const took = performance.now() - restoredAt;
      const before = balancer.requests();
      await expect
        .poll(() => balancer.requests(), { timeout: 600_000 })
        .toBeGreaterThan(before + MORE_REQUESTS);
      report(
        "The cluster is restored, and one of two replicas is cut off",
        `a balancer sends each request to the next; run --watch=1s, then ${MORE_REQUESTS} more requests`,
        `the old values arrive ${timeText(took)} after the start of the restored member; ${(await values()).length - 2} restart`,
      );
      expect(took).toBeLessThanOrEqual(MAX_RESTORED_MS);
      expect(await values()).toEqual(["old", "new", "old"]);
    });
  },
);

/**
 * `run --watch` of a program that notes the value of SET, which is `old`. One replica reaches etcd
 * by the link.
 */
async function startProgram() {
  const etcd: EtcdCluster = await startEtcd();
  const prefix = etcd.newPrefix();
  const url = etcd.storeUrl(prefix);
  await createEtcdStore(etcd.access(url), countersData(1));
  await set(url, "SET", "old");
  const link = await tcpProxy(etcd.members[0]?.port ?? 0);
  const replicas = [
    await startReplica(etcd.storeUrl(prefix, [link.port])),
    await startReplica(url),
  ];
  const balancer = await startBalancer(replicas.map(({ port }) => port));
  const file = join(await temporaryFolder(), "values");
  const program = ["sh", "-c", `echo "$SET" >> ${file}; exec sleep 1000`];
  const flags = [
    "run",
    "--watch=1s",
    "--quiet",
    "--url",
    `http://127.0.0.1:${balancer.port}`,
    "--",
    ...program,
  ];
  const watching = start(process.execPath, [BINARY, ...flags], {
    APPVARS_API_KEY: KEY,
    APPVARS_API_SECRET: SECRET,
  });
  const ended = once(watching, "close");
  onTestFinished(async () => {
    watching.kill("SIGTERM");
    await ended;
  });
  const values = async () =>
    (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  await expect.poll(values).toEqual(["old"]);
  return { etcd, url, link, balancer, values };
}

/** Sends each request to the next of some ports. */
async function startBalancer(ports: readonly number[]) {
  let requests = 0;
  const { port } = await httpPeer((req, res) => {
    const { method, url: path, headers } = req;
    const target = ports[requests++ % ports.length];
    const outgoing = request({
      host: "127.0.0.1",
      port: target,
      method,
      path,
      headers,
      agent: false,
    });
    outgoing.on("error", () => res.destroy());
    outgoing.on("response", (answer: IncomingMessage) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
    req.pipe(outgoing);
  });
  return { port, requests: () => requests };
}
