import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bigData, bigName } from "../support/big-data.mjs";
import { BINARY, run } from "../support/binary.js";
import { dataFile } from "../support/data-file.js";
import { type EtcdCluster, startEtcdCluster } from "../support/etcd.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { timeText } from "./replicas.js";

const VARIABLES = QUICK ? 10_000 : 100_000;

it("migrates a large file to a cluster and back", needs("etcd"), async () => {
  const etcd = await startEtcdCluster();
  const url = etcd.storeUrl();
  const data = bigData(VARIABLES);
  const { path } = await dataFile(data);
  const { size } = await stat(path);
  const there = await timed("migrate", path, url);
  const again = await timed("migrate", path, url);
  const change = await timed("set", bigName(1), "1", "--store", url, "--env", "shop/production");
  const back = await timed("migrate", url, join(await temporaryFolder(), "back.json"));
  const records = data.environments.length + data.variables.length + data.values.length;
  const { disk, memory } = await usageOf(etcd);
  report(
    "A large migration",
    `${grouped(VARIABLES)} variables with 2 values each, ${Math.round(size / 1e6)} MB, to a store and back`,
    `to the store ${timeText(there)}, to a store that has them ${timeText(again)}, back ${timeText(back)}; then one set ` +
      `${timeText(change)}; a member uses ${Math.round(disk / records)} bytes of disk and ${Math.round(memory / records)} of ` +
      "memory per record",
  );
});

/** Runs a command. @returns how long it took, in milliseconds */
async function timed(...words: string[]): Promise<number> {
  const start = performance.now();
  const { code, stderr } = await run(process.execPath, [BINARY, ...words, "--quiet"]);
  expect([code, stderr]).toEqual([0, ""]);
  return performance.now() - start;
}

/** Bytes that a member uses, without history, just after a start. */
async function usageOf(etcd: EtcdCluster): Promise<{ disk: number; memory: number }> {
  await etcd.compact();
  await etcd.call("maintenance/defragment", {});
  const { dbSize } = await etcd.call("maintenance/status", {});
  const [member] = etcd.members;
  await member?.process.kill();
  await member?.process.start();
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${member?.process.pid}/status`, "utf8")) ?? [];
  return { disk: Number(dbSize), memory: Number(kilobytes) * 1_024 };
}
