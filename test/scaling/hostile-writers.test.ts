import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { logKey } from "../../src/etcd/log.js";
import { createEtcdStore, type EtcdConnection } from "../../src/etcd/open-store.js";
import { memoryOf } from "../bench/shared/memory.mjs";
import { type EtcdCluster, startEtcd } from "../support/etcd.js";
import { idByHand, putByHand } from "../support/etcd-records.js";
import { openEtcd } from "../support/etcd-store.js";
import { get } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { counterName, countersData, increment, KEY, SECRET } from "./counters.js";
import { appvars, importFile, loadText, set } from "./processes.js";
import { startReplica, timeText } from "./replicas.js";

const SEALING_KEY = "sealing-key-0123456789abcdef0123456789";
const CREDENTIALS = { "x-api-key": KEY, "x-api-secret": SECRET };
/** More than one part. */
const VARIABLES = 12_000;

const JUNK_MS = QUICK ? 3_000 : 60_000;
const JUNK_EVERY_MS = 1_000;
/** A million bytes a second, in three places. */
const JUNK_BYTES = 1e6 / 3;
const MAX_GROWTH_MB = 50;

/** Half of what the import needs. */
const QUOTA_BYTES = 8 * 1_024 * 1_024;

describe.skipIf(process.platform !== "linux")(
  "a store that someone writes to by hand",
  needs("etcd"),
  () => {
    it("is refused, and its last good data served, whatever is put in place of what is sealed", async () => {
      const { etcd, access, prefix, keyFile, replica, count, store } = await startSealed();
      const { url } = access.address;
      const read = () =>
        appvars(
          "get",
          counterName(0),
          "--store",
          url,
          "--seal-key-file",
          keyFile,
          "-e",
          "default/test",
        );
      const good = await readRaw(etcd, prefix);
      const [first, second] = [...good.keys()].filter((key) => key.startsWith("parts/"));
      const head = good.get("head");
      const version = Number(
        (await get(replica, ROUTE, CREDENTIALS)).headers["appvars-version"]
          ?.toString()
          .split("-")[0],
      );
      await increment(store, 0);
      await expect.poll(count).toBe(2);
      // The same version of another timeline: the head is put back for it.
      const [other, after] = [await readRaw(etcd, prefix), logKey(version + 1)];
      await putByHand(etcd, prefix, { head, [after]: undefined });
      for (let write = 0; write < 2; write++) await increment(await openEtcd(access), 0);
      const now = await readRaw(etcd, prefix);
      await expect.poll(count).toBe(3);

      // Two parts are too large for one request.
      const putEach = async (texts: Record<string, Buffer | string | undefined>) => {
        for (const [key, text] of Object.entries(texts))
          await putByHand(etcd, prefix, { [key]: text });
      };
      const found: string[] = [];
      const tamperings: [string, Record<string, Buffer | string | undefined>, RegExp][] = [
        [
          "swapped parts",
          { [first ?? ""]: now.get(second ?? ""), [second ?? ""]: now.get(first ?? "") },
          /opened|other/,
        ],
        ["an old head", { head }, /older|put back|earlier/],
        ["an entry of another timeline", { [after]: other.get(after) }, /does not follow/],
        [
          "an unsealed head",
          { head: JSON.stringify({ format: 2, store: idByHand("x") }) },
          /is not sealed/,
        ],
      ];
      for (const [what, texts, reason] of tamperings) {
        const before = replica.log().length;
        await putEach(texts);
        // Everything is read again.
        replica.child.kill("SIGHUP");
        await expect.poll(() => replica.log().slice(before)).toMatch(reason);
        const { code } = await read();
        found.push(`${what}: the replica refuses it, a command ends with ${code}`);
        expect(await count()).toBe(3);
        await putEach(Object.fromEntries(Object.keys(texts).map((key) => [key, now.get(key)])));
        replica.child.kill("SIGHUP");
        await expect
          .poll(async () => (await get(replica, "/healthz", {})).json)
          .toMatchObject({ message: "OK" });
        expect(code).toBe(8);
      }
      report(
        "A sealed store is changed by hand",
        "a replica is told to read everything again each time",
        found.join("; "),
      );
    });

    it("costs a replica little memory, whatever its writer without the key puts", async () => {
      const { etcd, prefix, replica, count } = await startSealed();
      const head = (await readRaw(etcd, prefix)).get("head");
      const version = Number(
        (await get(replica, ROUTE, CREDENTIALS)).headers["appvars-version"]
          ?.toString()
          .split("-")[0],
      );
      await delay(1_000);
      const before = memoryOf(replica.pid).now;
      let [written, highest] = [0, before];
      for (let puts = 0; puts * JUNK_EVERY_MS < JUNK_MS; puts++) {
        const next = delay(JUNK_EVERY_MS);
        await putByHand(etcd, prefix, {
          head: randomBytes(JUNK_BYTES),
          // What a reader reads next.
          [logKey(version + 1 + puts)]: randomBytes(JUNK_BYTES),
          [`parts/${idByHand("junk")}/${puts}`]: randomBytes(JUNK_BYTES),
        });
        written += 3 * JUNK_BYTES;
        highest = Math.max(highest, memoryOf(replica.pid).now);
        await next;
      }
      const served = await count();
      const junk = [...(await readRaw(etcd, prefix)).keys()].filter(
        (key) => key > logKey(version) && key < "log0",
      );
      await putByHand(
        etcd,
        prefix,
        Object.fromEntries([["head", head], ...junk.map((key) => [key, undefined])]),
      );
      report(
        "Junk in a sealed store",
        `a million bytes a second below parts/ and log/ and in the head for ${timeText(JUNK_MS)}, ${Math.round(written / 1e6)} MB in all`,
        `the memory of a replica with ${grouped(VARIABLES)} variables grows from ${Math.round(before)} MB to at most ${Math.round(highest)} MB`,
      );
      expect(served).toBe(1);
      expect(replica.log()).toMatch(/head (is too large for a head|is not sealed)/);
      expect(highest - before).toBeLessThan(MAX_GROWTH_MB);
      await expect
        .poll(async () => (await get(replica, "/healthz", {})).json)
        .toMatchObject({ message: "OK" });
    });
  },
);

describe("a store that is out of space", needs("etcd"), () => {
  it("takes writes after the documented steps", async () => {
    const etcd = await startEtcd({ flags: ["--quota-backend-bytes", String(QUOTA_BYTES)] });
    const access = etcd.access();
    const { url } = access.address;
    await createEtcdStore(access, countersData(1));
    const file = await importFile("A", 10_000, () => randomBytes(1_500).toString("base64"));
    const imported = await appvars("import", file, "--store", url, "--env", "default/test");
    const refused = await set(url, "REFUSED", "1");
    const pruned = await appvars("history", "--prune", "100", "--store", url, "--quiet");
    await etcd.compact();
    await etcd.call("maintenance/defragment", {});
    const { alarms } = await etcd.call("maintenance/alarm", { action: "GET" });
    for (const alarm of alarms as object[])
      await etcd.call("maintenance/alarm", { action: "DEACTIVATE", ...alarm });
    const after = await set(url, "AFTER", "1");
    report(
      "NOSPACE during an import",
      `a quota of ${QUOTA_BYTES / 1_048_576} MiB; then history --prune, compact, defrag, alarm disarm, and a set`,
      `the import ends with ${imported.code}, a set after it with ${refused.code}, prune with ${pruned.code}, the set at last with ${after.code}; ${loadText()}`,
    );
    expect(imported.code).not.toBe(0);
    expect(imported.stderr).toContain("database space exceeded");
    expect(refused.code).not.toBe(0);
    expect([pruned, after]).toMatchObject([
      { code: 0, stderr: "" },
      { code: 0, stderr: "" },
    ]);
  });
});

const ROUTE = `/v1/variables-values-by-name/${counterName(0)}`;

/** A replica of a sealed store with a counter at 1. */
async function startSealed() {
  const etcd = await startEtcd();
  const prefix = etcd.newPrefix();
  const access: EtcdConnection = { ...etcd.access(etcd.storeUrl(prefix)), sealKeys: SEALING_KEY };
  await createEtcdStore(access, withNoise(VARIABLES));
  const keyFile = join(await temporaryFolder(), "keys");
  await writeFile(keyFile, SEALING_KEY, { mode: 0o600 });
  const replica = await startReplica(access.address.url, { flags: ["--seal-key-file", keyFile] });
  const count = async () => {
    const { json } = await get(replica, ROUTE, CREDENTIALS);
    return Number(/"value":(\d+)/.exec(JSON.stringify(json))?.[1]);
  };
  const store = await openEtcd(access);
  await increment(store, 0);
  await expect.poll(count).toBe(1);
  return { etcd, prefix, access, keyFile, replica, count, store };
}

/** The first is a counter; the others can't be compressed. */
function withNoise(count: number) {
  const data = countersData(count);
  const noise = () => randomBytes(100).toString("base64");
  const [first, ...others] = data.variables;
  const [value, ...otherValues] = data.values;
  if (!first || !value) throw new Error("there is no counter");
  return {
    ...data,
    variables: [first, ...others.map((each) => ({ ...each, type: "STRING" as const }))],
    values: [value, ...otherValues.map((each) => ({ ...each, content: { value: noise() } }))],
  };
}

/** The keys below a prefix, by the rest of their names. */
async function readRaw(etcd: EtcdCluster, prefix: string): Promise<Map<string, Buffer>> {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const answer = await etcd.call("kv/range", {
    key: base64(`${prefix}/`),
    range_end: base64(`${prefix}0`),
  });
  const entries = (answer["kvs"] ?? []) as { key: string; value?: string }[];
  const name = (key: string) =>
    Buffer.from(key, "base64")
      .toString()
      .slice(prefix.length + 1);
  return new Map(entries.map(({ key, value = "" }) => [name(key), Buffer.from(value, "base64")]));
}
