import { describe, onTestFinished } from "vitest";
import { createEtcdStore, openEtcdStore } from "../../../src/etcd/open-store.js";
import { describeHistory } from "../../contract/history.js";
import { describeStore } from "../../contract/store.js";
import { sharedEtcd } from "../../support/etcd.js";
import { putByHand, readByHand, storeOf } from "../../support/etcd-records.js";
import { needs } from "../../support/needed-program.js";

describe("etcd", needs("etcd"), () => {
  const etcd = sharedEtcd();

  describeStore("data in etcd", async (data) => {
    const prefix = etcd().newPrefix();
    await putByHand(etcd(), prefix, storeOf(data));
    return {
      async open(options) {
        const store = await openEtcdStore(etcd().access(etcd().storeUrl(prefix)), options);
        onTestFinished(() => store.close());
        return store;
      },
      version: () => readByHand(etcd(), prefix),
    };
  });

  describeHistory("data in etcd", async (data) => {
    const author = { actor: "me@here", command: "test" };
    const access = { ...etcd().access(etcd().storeUrl(etcd().newPrefix())), author };
    await createEtcdStore(access, data);
    const store = await openEtcdStore(access);
    onTestFinished(() => store.close());
    return { update: (change) => store.update(change), history: () => store.history() };
  });
});
