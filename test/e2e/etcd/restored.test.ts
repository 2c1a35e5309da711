import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Transaction } from "../../../src/etcd/gateway.js";
import { logKey } from "../../../src/etcd/log.js";
import { DATA } from "../../support/data.js";
import { contents, increment, set } from "../../support/edits.js";
import { startEtcd } from "../../support/etcd.js";
import { putByHand, readByHand, storeOf } from "../../support/etcd-records.js";
import { gatewayWith, openEtcd, type TestStoreOptions } from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";

/** Text that can't be packed: enough for a snapshot. */
const BIG = randomBytes(1_000_000).toString("base64");

/**
 * A store in an etcd that can be set up again with the same id and the same data, as from a backup.
 */
async function start() {
  const etcd = await startEtcd();
  const prefix = etcd.newPrefix();
  const fill = () => putByHand(etcd, prefix, storeOf(DATA));
  await fill();
  return {
    open: (options?: TestStoreOptions) => openEtcd(etcd.access(etcd.storeUrl(prefix)), options),
    read: () => readByHand(etcd, prefix),
    put: (changed: Parameters<typeof putByHand>[2]) => putByHand(etcd, prefix, changed),
    async restore() {
      const [member] = etcd.members;
      await member?.process.kill();
      await rm(member?.folder ?? "", { recursive: true });
      await member?.process.start();
      await fill();
    },
  };
}

describe("a writer of a cluster that was restored", needs("etcd"), () => {
  it("its change is made to the data of now, although the revision is that of the data it knows", async () => {
    const { open, restore } = await start();
    const writer = await open();
    await writer.update(increment);
    await restore();
    await (await open()).update((data) => set(data, { EMPTY: "other" }));
    await writer.update(increment);
    expect(contents(await open())).toMatchObject({ EMPTY: "other", PORT: 3001 });
  });

  it("it removes nothing that the restored data needs", async () => {
    const store = await start();
    const direct = await store.open();
    await direct.update(increment);
    await direct.update(increment);
    const backup = await store.read();
    let isRestored = false;
    const restore = async () => {
      if (isRestored) return;
      isRestored = true;
      const now = await store.read();
      const none = Object.fromEntries(Object.keys(now).map((key) => [key, undefined]));
      await store.put(none);
      const texts = Object.entries(backup).filter(([key]) => !key.startsWith("parts/"));
      const parts = Object.entries(storeOf(DATA)).filter(([key]) => key.startsWith("parts/"));
      await store.put(Object.fromEntries([...texts, ...parts]));
    };
    const beforeCommit = async ({ deletes = [] }: Transaction) => {
      if (deletes.some(({ key }) => key.startsWith("log/"))) await restore();
    };
    await direct.update((data) => set(data, { BIG }));
    const pruning = await store.open({ gatewayTo: gatewayWith({ beforeCommit }) });
    await pruning.prune(0);
    expect(isRestored).toBe(true);
    expect(await store.read()).toHaveProperty([logKey(3)]);
    expect(contents(await store.open())).toMatchObject({ PORT: 3002 });
  });
});
