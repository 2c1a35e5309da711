import { expect, it, onTestFinished, vi } from "vitest";
import type { StoreMessage } from "../../src/cluster/messages.js";
import { ReceivedStore } from "../../src/cluster/received-store.js";
import { feedSnapshots } from "../../src/cluster/snapshot-feed.js";
import { pageBounds } from "../../src/domain/page.js";
import { Service } from "../../src/service/service.js";
import { type PackedData, packOnDemand } from "../../src/store/packed-data.js";
import type { Store } from "../../src/store/store.js";
import { bigData } from "../support/big-data.mjs";
import { DATA } from "../support/data.js";

/** A store that can be changed. */
class ChangingStore implements Store<PackedData> {
  snapshot = packOnDemand(DATA);
  problem: string | undefined;
  age: number | undefined;
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(state: { snapshot?: PackedData; problem?: string | undefined }) {
    Object.assign(this, state);
    for (const listener of this.#listeners) listener();
  }

  async close() {}
}

/** A worker's store, and the messages that it gets, each of which arrives when `deliver` is called. */
function fedStore(store: Store<PackedData>, ticks = () => 0) {
  const received = new ReceivedStore(ticks);
  const sent: { message: StoreMessage; resolve: () => void }[] = [];
  const stop = feedSnapshots(store, (message) => new Promise((resolve) => sent.push({ message, resolve })), ticks);
  const kinds: string[] = [];
  const deliver = async (count = Number.POSITIVE_INFINITY) => {
    for (let delivered = 0; delivered < count && sent[0]; delivered++) {
      const [{ message, resolve }] = sent.splice(0, 1) as [(typeof sent)[0]];
      kinds.push(message.kind);
      received.receive(structuredClone(message));
      resolve();
      await new Promise(setImmediate);
    }
  };
  return { received, deliver, kinds, stop };
}

const read = (store: Store<PackedData>) => {
  const service = new Service(store, Date.now);
  return service.environments.map((environment) => {
    const view = service.view(environment);
    return [
      environment,
      view.revision,
      view.json({ kind: "variables", page: pageBounds() }),
      view.json({ kind: "values", page: pageBounds({ offset: 100 }) }),
    ];
  });
};

it("a worker serves the same data as the primary", async () => {
  for (const data of [DATA, bigData(5_000), { ...DATA, environments: [], values: [] }]) {
    const store = new ChangingStore();
    store.snapshot = packOnDemand(data);
    const { received, deliver } = fedStore(store);
    await deliver();
    expect(read(received)).toEqual(read(store));
  }
});

it("data that is being sent is not served before it is complete, and is dropped for newer data", async () => {
  const store = new ChangingStore();
  const { received, deliver, kinds } = fedStore(store);
  await deliver();
  const before = read(store);
  store.change({ snapshot: packOnDemand(bigData(20_000)) });
  await deliver(4);
  expect(kinds.slice(-4)).toEqual(["problem", "outline", "parts", "parts"]);
  expect(read(received)).toEqual(before);
  store.change({ snapshot: packOnDemand(bigData(10)) });
  await deliver();
  expect(kinds.filter((kind) => kind === "end")).toHaveLength(2);
  expect(read(received)).toEqual(read(store));
});

it("a worker has the problem of the primary, and its last good data", async () => {
  const store = new ChangingStore();
  const { received, deliver, stop } = fedStore(store);
  await deliver();
  store.change({ problem: "it is broken" });
  await deliver();
  expect([received.problem, read(received)]).toEqual(["it is broken", read(store)]);
  store.change({ problem: undefined });
  stop();
  store.change({ problem: "not sent any more" });
  await deliver();
  expect(received.problem).toBeUndefined();
});

it("subscribers of a worker's store hear of each change", async () => {
  const store = new ChangingStore();
  const { received, deliver } = fedStore(store);
  let heard = 0;
  const unsubscribe = received.subscribe(() => heard++);
  await deliver();
  // The problem, of which there is none, and the data.
  expect(heard).toBe(2);
  unsubscribe();
  store.change({ problem: "it is broken" });
  await deliver();
  expect(heard).toBe(2);
});

it("a worker tells the age of the data that it has, and hears when that is still the newest", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = 0;
  const store = new ChangingStore();
  store.age = 100;
  const { received, deliver, kinds, stop } = fedStore(store, () => now);
  const pass = (milliseconds: number, age: number) => {
    now += milliseconds;
    store.age = age;
    vi.advanceTimersByTime(milliseconds);
  };
  await deliver();
  expect(received.age).toBe(100);
  pass(4_000, 4_100);
  await deliver();
  expect([received.age, kinds.at(-1)]).toEqual([4_100, "end"]);
  pass(1_000, 200);
  await deliver();
  expect([received.age, kinds.at(-1)]).toEqual([200, "age"]);
  // The primary has newer data: until the worker has it too, its own gets older.
  store.change({ snapshot: packOnDemand(bigData(20_000)) });
  await deliver(3);
  pass(1_000, 0);
  expect(received.age).toBe(1_200);
  await deliver();
  expect([received.age, read(received)]).toEqual([0, read(store)]);
  stop();
  pass(1_000, 0);
  await deliver();
  expect(received.age).toBe(1_000);
});
