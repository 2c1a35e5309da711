import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  createEtcdStore,
  type EtcdConnection,
  openEtcdStore,
} from "../../../src/etcd/open-store.js";
import { openServedEtcdStore } from "../../../src/etcd/served-store.js";
import { setValues } from "../../../src/store/edits/edit-values.js";
import { starterData } from "../../../src/store/memory/starter-data.js";
import type { Store } from "../../../src/store/store.js";
import { startEtcd } from "../../support/etcd.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const SEALING_KEYS = "a-key-of-the-operator-0123456789abcdef";
const MINUTE_MS = 60_000;

const valuesOf = ({ data }: Store) =>
  data.values.filter(({ environment_id }) => environment_id === 1);

it("starts with its offline copy while no member answers, gives its age, and catches up", async () => {
  const etcd = await startEtcd();
  const access: EtcdConnection = { ...etcd.access(), sealKeys: SEALING_KEYS };
  const cacheFolder = await temporaryFolder();
  await createEtcdStore(access, starterData({ examples: true }));
  const first = await open(access, cacheFolder);
  await first.close();
  await etcd.members[0]?.process.kill();

  const second = await open(access, cacheFolder, Date.now() + 2 * MINUTE_MS);
  expect(valuesOf(second)).toHaveLength(4);
  expect(second.problem).toMatch(
    /^the store can't be read: no member .* serving data from 2 min ago, kept on this machine$/,
  );
  expect(second.age).toBeGreaterThanOrEqual(2 * MINUTE_MS);

  await etcd.members[0]?.process.start();
  const writer = await openEtcdStore(access);
  onTestFinished(() => writer.close());
  await writer.update((data) =>
    setValues(data, data.environments[0] as never, [{ name: "NEW", type: "STRING", value: "" }]),
  );
  await expect.poll(() => valuesOf(second).length).toBe(5);
  await expect.poll(() => second.problem).toBeUndefined();
  expect(second.age).toBeLessThan(MINUTE_MS);
});

it("keeps the data in a file that only the user can read, and that shows nothing of it", async () => {
  const etcd = await startEtcd();
  const access: EtcdConnection = { ...etcd.access(), sealKeys: SEALING_KEYS };
  const cacheFolder = await temporaryFolder();
  await createEtcdStore(access, starterData({ examples: true }));
  await (await open(access, cacheFolder)).close();

  const folder = join(cacheFolder, "snapshots");
  const names = await readdir(folder);
  expect(names.length).toBeGreaterThan(0);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const name of names) {
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    const content = await readFile(join(folder, name), "latin1");
    expect(content).not.toMatch(/DATABASE_URL|postgres/);
  }
});

it("fails to start without an offline copy, or with one of another key", async () => {
  const etcd = await startEtcd();
  const access: EtcdConnection = { ...etcd.access(), sealKeys: SEALING_KEYS };
  const cacheFolder = await temporaryFolder();
  await createEtcdStore(access, starterData({ examples: true }));
  await (await open(access, cacheFolder)).close();
  await etcd.members[0]?.process.kill();

  await expect(
    open({ ...access, sealKeys: SEALING_KEYS.toUpperCase() }, cacheFolder),
  ).rejects.toThrow(/no member of the store answers/);
  await expect(open(access, await temporaryFolder())).rejects.toThrow(
    /no member of the store answers/,
  );
});

async function open(access: EtcdConnection, cacheFolder: string, now = Date.now()) {
  const warn = (text: string) => expect.fail(text);
  const times = { request: 500, poll: 500 };
  const options = { cacheFolder, user: process.getuid?.(), clock: () => now, times, warn };
  const store = await openServedEtcdStore(access, options);
  onTestFinished(() => store.close());
  return store;
}
