import { describe, onTestFinished } from "vitest";
import { openEtcdStore } from "../../../src/etcd/open-store.js";
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
});
