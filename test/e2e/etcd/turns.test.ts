import { EventEmitter, once } from "node:events";
import { describe, expect, it } from "vitest";
import { createEtcdStore } from "../../../src/etcd/open-store.js";
import { type Fault, lossyLink, repeat } from "../../etcd/lossy-link.js";
import { DATA } from "../../support/data.js";
import { contents, increment, set } from "../../support/edits.js";
import { sharedEtcd } from "../../support/etcd.js";
import { readByHand } from "../../support/etcd-records.js";
import { gatewayWith, isAbout, openEtcd } from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";

describe("writers at the same time", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it.each<[string, Fault | undefined]>([
    ["wait for one that they are always faster than", undefined],
    ["wait for one whose requests are delivered twice", repeat],
  ])("%s", async (_what, fault) => {
    const access = etcd().access();
    const link = await lossyLink(etcd().members[0]?.port ?? 0, () => fault, { all: true });
    const linked = etcd().access(etcd().storeUrl(access.address.prefix.slice(0, -1), [link.port]));
    await createEtcdStore(access, DATA);
    const writes = new EventEmitter();
    let [isOver, attempts, hasTurn] = [false, 0, false];
    const fast = await openEtcd(access);
    const writing = (async () => {
      for (; !isOver; writes.emit("made")) await fast.update(increment);
    })();
    const gatewayTo = gatewayWith({
      beforeCommit: async (transaction) => {
        hasTurn ||= isAbout("turn", transaction);
        if (hasTurn) return;
        attempts++;
        await once(writes, "made");
      },
    });
    await (await openEtcd(linked, { gatewayTo })).update((data) =>
      set(data, { DEBUG_TEXT: "slow" }),
    );
    isOver = true;
    await writing;
    expect(attempts).toBeGreaterThan(5);
    expect(contents(await openEtcd(access))).toMatchObject({
      DEBUG_TEXT: "slow",
      PORT: expect.any(Number),
    });
    // The turn is over.
    expect(Object.keys(await readByHand(etcd(), access.address.prefix.slice(0, -1)))).not.toContain(
      "turn",
    );
  });
});
