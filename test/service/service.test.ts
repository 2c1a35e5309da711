import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { NotFoundError, ServerError, UsageError } from "../../src/kit/text/errors.js";
import { Service } from "../../src/service/service.js";
import type { Data } from "../../src/store/data.js";
import { checkData } from "../../src/store/schema/parse-data.js";
import type { Store } from "../../src/store/store.js";
import { DATA, edited } from "../support/data.js";

describe("a service", () => {
  it.each([
    ["production", 3],
    ["shop/development", 1],
    ["billing/development", 4],
  ])("finds the environment %s", (name, id) => {
    expect(serviceOver(DATA).service.findEnvironment(name).id).toBe(id);
  });

  it("refuses environments that are ambiguous or unknown", () => {
    const { service } = serviceOver(DATA);
    expect(() => service.findEnvironment("development")).toThrow(UsageError);
    expect(() => service.findEnvironment("staging")).toThrow(NotFoundError);
  });

  it.each([
    ["dev-key", 1],
    ["billing-key", 4],
    ["Dev-key", undefined],
    ["", undefined],
    ["__proto__", undefined],
  ])("knows the environment of the key %j: %s", (key, id) => {
    expect(serviceOver(DATA).service.grantOfKey(key)?.environment.id).toBe(id);
  });

  it("keeps environments apart", async () => {
    const { service } = serviceOver(DATA);
    const contents = ["shop/development", "shop/test", "billing/development"].map((name) =>
      service.source(service.findEnvironment(name)).getContentByName("DATABASE_URL"),
    );
    expect((await Promise.all(contents)).map(({ value }) => value)).toStrictEqual([
      "postgres://localhost/dev",
      "postgres://localhost/test",
      "postgres://localhost/ledger",
    ]);
    const production = service.source(service.findEnvironment("production"));
    await expect(production.getContentByName("DATABASE_URL")).rejects.toThrow(NotFoundError);
    expect((await production.listVariables()).metadata.total).toBe(7);
    expect((await production.listValues()).metadata.total).toBe(1);
  });

  it("reads the newest data, also through older sources", async () => {
    const { service, store } = serviceOver(DATA);
    const source = service.source(service.findEnvironment("shop/development"));
    expect(await source.getContentByName("PORT")).toStrictEqual({ value: 3000 });

    store.data = edited((data) => {
      data.values[0].content.value = 4000;
      data.environments[0].api_key = "new-key";
    }) as Data;
    expect(await source.getContentByName("PORT")).toStrictEqual({ value: 4000 });
    expect(service.grantOfKey("new-key")?.environment.id).toBe(1);
    expect(service.grantOfKey("dev-key")).toBeUndefined();
  });

  it("gives the first keys, and the application of an environment, as the newest data has them", () => {
    const { service, store } = serviceOver(DATA);
    const { id, application } = service.findEnvironment("billing/development");
    store.data = edited((data) => {
      data.environments[3].api_key = "new-key";
      data.environments[3].application = data.variables[7].application = "accounting";
    }) as Data;
    expect(service.keylessGrants.map(({ pair }) => pair.api_key)).toContain("new-key");
    const read = { kind: "content", name: "DATABASE_URL" } as const;
    expect(service.view({ id, application }).find(read)).toEqual({
      value: "postgres://localhost/ledger",
    });
  });

  it("finds nothing while no environment has the name of the one that was opened", async () => {
    const { service, store } = serviceOver(DATA);
    const source = service.source(service.findEnvironment("billing/development"));
    store.data = edited((data) => {
      data.environments[3].application = data.variables[7].application = "accounting";
    }) as Data;
    await expect(source.getContentByName("DATABASE_URL")).rejects.toThrow(NotFoundError);
    store.data = DATA;
    expect(await source.getContentByName("DATABASE_URL")).toStrictEqual({
      value: "postgres://localhost/ledger",
    });
  });

  it("releases replaced data immediately", async () => {
    const { service, store, listeners } = serviceOver(structuredClone(DATA));
    const before = new WeakRef(store.data);
    await service.source(service.findEnvironment("test")).getContentByName("DATABASE_URL");
    store.data = DATA;
    for (const listener of listeners) listener();
    // The target of a WeakRef that was read stays until the end of the turn.
    await nextTurn();
    collectGarbage();
    expect(before.deref()).toBeUndefined();
  });

  it("returns copies, which can be changed safely", async () => {
    const { service } = serviceOver(DATA);
    const source = service.source(service.findEnvironment("shop/development"));
    const answers = [
      () => source.getVariable(1),
      () => source.getValue(11),
      () => source.getValueByName("DATABASE_URL"),
      async () => (await source.listVariables()).data[0],
      async () => (await source.listValues()).data[0],
    ];
    for (const answer of answers) {
      const before = structuredClone(await answer());
      Object.assign((await answer()) ?? {}, { id: 99 });
      expect(await answer()).toStrictEqual(before);
    }
  });

  it("makes the view of an environment once for each version of the data", () => {
    const { service, store } = serviceOver(DATA);
    const environment = service.findEnvironment("test");
    const before = service.view(environment);
    expect(service.view(environment)).toBe(before);
    store.data = structuredClone(DATA);
    expect(service.view(environment)).not.toBe(before);
  });
});

describe("a service's health", () => {
  it("is OK while its store has no problem, with the uptime in seconds and the time", async () => {
    const { service, time } = serviceOver(DATA);
    time.now += 1_234;
    time.ticks += 1_234;
    const health = { uptime: 1.234, message: "OK", date: "2023-11-14T22:13:21.234Z" };
    expect(service.checkHealth()).toStrictEqual({ healthy: true, age: undefined, health });
    expect(await service.source(service.findEnvironment("test")).getHealth()).toStrictEqual(health);
  });

  it.each([
    ["back", -3_600_000],
    ["forward", 3_600_000],
  ])("has the true uptime and the new date after the clock was set %s", (_direction, change) => {
    const { service, time } = serviceOver(DATA);
    time.now += change;
    time.ticks += 2_000;
    const { health } = service.checkHealth();
    expect([health.uptime, Date.parse(health.date)]).toEqual([2, 1_700_000_000_000 + change]);
  });

  it("reports a problem of its store, which only a source names", async () => {
    const { service, store } = serviceOver(DATA);
    store.problem = "the data file is empty";
    const source = service.source(service.findEnvironment("test"));
    const message = "the data file could not be read again; the last good data is being served";
    expect(service.checkHealth()).toMatchObject({ healthy: false, health: { message } });
    await expect(source.getHealth()).rejects.toThrow(
      new ServerError("the data file is empty", 503),
    );
    expect(await source.getContentByName("DATABASE_URL")).toStrictEqual({
      value: "postgres://localhost/test",
    });

    store.problem = undefined;
    expect(await source.getHealth()).toMatchObject({ message: "OK" });
  });

  const stale = (age: string) =>
    `the data store could not be read again; the data being served is ${age} old`;

  it.each([
    ["is OK up to the limit", 60_000, undefined, { healthy: true, age: 60, message: "OK" }],
    [
      "gives the age while there is a problem",
      45_500,
      "it is gone",
      { healthy: true, age: 45, message: stale("45 s") },
    ],
    [
      "ends above the limit",
      60_001,
      "it is gone",
      { healthy: false, age: 60, message: stale("60 s") },
    ],
    [
      "ends there without a problem too",
      60_001,
      undefined,
      { healthy: false, age: 60, message: stale("60 s") },
    ],
  ])("of a store with an age %s", (_what, age, problem, { message, ...expected }) => {
    const { service, store } = serviceOver(DATA);
    Object.assign(store, { age, problem });
    expect(service.checkHealth(60_000)).toMatchObject({ ...expected, health: { message } });
    expect(service.checkHealth()).toMatchObject({ healthy: true });
  });

  it("of a store with an age names the problem in a source, which is healthy at any age", async () => {
    const { service, store } = serviceOver(DATA);
    const source = service.source(service.findEnvironment("test"));
    Object.assign(store, { age: 7_200_000 });
    expect(await source.getHealth()).toMatchObject({ message: "OK", data_age: 7_200 });
    Object.assign(store, { problem: "10.0.0.1:2379 refuses connections" });
    const message = "10.0.0.1:2379 refuses connections; the data is 2 h old";
    expect(await source.getHealth()).toMatchObject({ message, data_age: 7_200 });
  });
});

/** A service over a store, and a clock, that the test changes. */
function serviceOver(data: Data) {
  const listeners: (() => void)[] = [];
  const subscribe = (listener: () => void) => {
    listeners.push(listener);
    return () => {};
  };
  const store: { -readonly [Key in keyof Store]: Store[Key] } = {
    data: checkData(data),
    problem: undefined,
    subscribe,
    close: async () => {},
  };
  const time = { now: 1_700_000_000_000, ticks: 500 };
  return {
    service: new Service(
      store,
      () => time.now,
      () => time.ticks,
    ),
    store,
    listeners,
    time,
  };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}
