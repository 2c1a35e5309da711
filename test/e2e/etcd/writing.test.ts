import { describe, expect, it } from "vitest";
import { UnreachableError } from "../../../src/domain/errors.js";
import type { Data } from "../../../src/store/data.js";
import { delayAnswer, type Fault, Ghost, loseAnswer, loseRequest, lossyLink } from "../../etcd/lossy-link.js";
import { DATA } from "../../support/data.js";
import { contents, increment, set, unset } from "../../support/edits.js";
import { sharedEtcd } from "../../support/etcd.js";
import { putByHand, readByHand, recordsOf } from "../../support/etcd-records.js";
import { openEtcd, type TestStoreOptions } from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";

const UNKNOWN = "it is not known whether the change was made";

/** Texts for two parts. */
const LARGE = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`V${index}`, "x".repeat(20_000)]));

describe("a change whose outcome is unknown", needs("etcd"), () => {
  const etcd = sharedEtcd();

  /** A store with {@link DATA}, and a writer on a link where the first transactions have these faults. */
  async function start(faults: readonly (Fault | undefined)[], options: TestStoreOptions = {}) {
    const prefix = etcd().newPrefix();
    await putByHand(etcd(), prefix, recordsOf(DATA));
    const link = await lossyLink(etcd().members[0]?.port ?? 0, (before) => faults[before]);
    const [writer, direct] = [
      await openEtcd(etcd().access(etcd().storeUrl(prefix, [link.port])), options),
      await openEtcd(etcd().access(etcd().storeUrl(prefix))),
    ];
    /** The data of a store opened now. */
    const newest = async () => (await openEtcd(etcd().access(etcd().storeUrl(prefix)))).snapshot;
    return { prefix, link, writer, direct, newest };
  }

  it.each<[string, Fault]>([
    ["the answer was lost", loseAnswer],
    ["the request was lost", loseRequest],
    ["the answer does not come", delayAnswer],
    ["the request does not arrive", () => {}],
  ])("a change is made exactly once if %s", async (_what, fault) => {
    for (const watch of [false, true]) {
      const { writer, newest } = await start([fault], { watch, times: { attempt: 300 } });
      await writer.update(increment);
      expect(contents(writer)["PORT"]).toBe(3001);
      await writer.update(increment);
      expect(contents({ snapshot: await newest() })["PORT"]).toBe(3002);
    }
  });

  it("a change is made exactly once if another writer was faster in the meantime", async () => {
    for (const fault of [loseAnswer, loseRequest]) {
      const between: Fault = async (exchange) => {
        if (fault === loseAnswer) await exchange.forward();
        await direct.update(increment);
        exchange.drop();
      };
      const { writer, direct, newest } = await start([between]);
      await writer.update(increment);
      expect(contents(writer)["PORT"]).toBe(3002);
      expect(await newest()).toEqual(writer.snapshot);
    }
  });

  it("a change that arrives after it was made again is not made twice", async () => {
    const ghost = new Ghost();
    const { writer, newest } = await start([ghost.fault]);
    await writer.update(increment);
    await writer.update((data) => set(data, { EMPTY: "later" }));
    expect(await ghost.land()).not.toContain("succeeded");
    expect(contents({ snapshot: await newest() })).toMatchObject({ PORT: 3001, EMPTY: "later" });
  });

  it("a change that arrives just before it is made again is not made twice", async () => {
    for (const watch of [false, true]) {
      const ghost = new Ghost();
      const landing: Fault = async ({ forward, drop }) => {
        expect(await ghost.land()).toContain("succeeded");
        await forward();
        drop();
      };
      const { writer, newest } = await start([ghost.fault, landing], { watch });
      await writer.update(increment);
      expect(contents(writer)["PORT"]).toBe(3001);
      expect(await newest()).toEqual(writer.snapshot);
    }
  });

  it("the outcome stays unknown if no member answers any more", async () => {
    const losing: Fault = async ({ forward, drop }) => {
      await forward();
      link.isDown = true;
      drop();
    };
    const { link, writer } = await start([losing], { times: { request: 200 } });
    await expect(writer.update(increment)).rejects.toThrow(new RegExp(`^no member .*; ${UNKNOWN}$`));
  });

  it("the outcome stays unknown if each attempt fails", async () => {
    const { writer, newest } = await start(Array(100).fill(loseRequest), { times: { write: 300 } });
    await expect(writer.update(increment)).rejects.toThrow(`the change could not be made in time; ${UNKNOWN}`);
    expect(contents({ snapshot: await newest() })["PORT"]).toBe(3000);
  });

  it("the outcome stays unknown if the history with it is discarded", async () => {
    const losing: Fault = async ({ drop }) => {
      for (let writes = 0; writes < 3; writes++) await direct.update(increment);
      await etcd().compact();
      drop();
    };
    const { writer, direct } = await start([losing]);
    await expect(writer.update(increment)).rejects.toThrow(`no longer kept; ${UNKNOWN}`);
    // The next one is another change.
    await writer.update(increment);
    expect(contents(writer)["PORT"]).toBe(3004);
  });

  it("a change that is refused after one whose outcome is known fails with the reason", async () => {
    const between: Fault = async ({ drop }) => {
      await direct.update((data) => unset(data, "EMPTY"));
      drop();
    };
    const { writer, direct } = await start([between]);
    await expect(writer.update((data) => unset(data, "EMPTY"))).rejects.toThrow('"EMPTY" has no value');
  });

  it("a store that is closed ends its change", async () => {
    const { writer } = await start(Array(100).fill(() => {}));
    const updating = writer.update(increment);
    await writer.close();
    await expect(updating).rejects.toThrow(UnreachableError);
  });

  it("a large change is not made as long as it only prepares to be", async () => {
    const { prefix, writer } = await start(Array(100).fill(loseAnswer), { times: { write: 300 } });
    const before = await readByHand(etcd(), prefix);
    const error: Error = await writer.update((data) => set(data, LARGE)).catch((caught) => caught);
    expect(error).toEqual(new UnreachableError("the change could not be made in time"));
    // Nor is anything left of it.
    expect(await readByHand(etcd(), prefix)).toEqual(before);
  });

  describe("a change that is too large for one transaction", () => {
    const change = (data: Data) => increment(set(data, LARGE));

    // That removes old parts, writes one, replaces the head, moves records, and replaces the head again.
    it.each([0, 1, 3, 4, 6])("is made exactly once if the answer to transaction %d is lost", async (position) => {
      const faults: Fault[] = [];
      faults[position] = loseAnswer;
      const { prefix, link, writer, newest } = await start(faults);
      await writer.update(change);
      expect(link.transactions).toBeGreaterThan(position);
      expect(contents(writer)).toMatchObject({ ...LARGE, PORT: 3001 });
      expect(await newest()).toEqual(writer.snapshot);
      await writer.update(increment);
      const { head } = await readByHand(etcd(), prefix);
      expect(JSON.parse(head ?? "")).not.toHaveProperty("pending");
      expect(contents({ snapshot: await newest() })["PORT"]).toBe(3002);
    });
  });
});
