import { expect, it, onTestFinished, vi } from "vitest";
import { type PrimaryLink, Worker } from "../../src/cluster/worker.js";
import type { ToPrimary } from "../../src/cluster/worker-messages.js";
import { withDefaults } from "../../src/server/start-server.js";
import type { Data } from "../../src/store/data.js";
import { changingStore } from "../support/changing-store.js";
import { DATA } from "../support/data.js";
import { DEV_HEADERS, get } from "../support/http.js";

/**
 * A worker in this process that serves `DATA`, and the messages that it has sent. None counts as
 * written.
 */
async function startedWorker({
  rateLimit = 0,
  maxStale = 0,
  age = undefined as number | undefined,
  isUnreadable = false,
} = {}) {
  const sent: ToPrimary[] = [];
  const written: ((() => void) | undefined)[] = [];
  let onEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  const link: PrimaryLink = {
    send: (message, onSent) => {
      sent.push(message);
      written.push(onSent);
    },
    end: () => onEnd(),
  };
  const store = changingStore(DATA);
  let reloads = 0;
  const opened = { ...store, age, readAgain: () => void reloads++, onReload: () => {} };
  Object.defineProperty(opened, "snapshot", { get: () => store.snapshot });
  const open = vi.fn(async () => opened);
  if (isUnreadable) open.mockRejectedValueOnce(new Error("broken"));
  const worker = new Worker(link, open, Date.now);
  const options = { ...withDefaults({ rateLimit, maxStale, port: 0 }), workers: 2 };
  void worker.receive({
    kind: "start",
    data: undefined,
    options,
    auditFile: undefined,
    uptime: 0,
    reportsRequests: true,
    hasMetrics: false,
  });
  if (isUnreadable) {
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
  }
  await expect.poll(() => sent.map(({ kind }) => kind)).toContain("ready");
  return {
    worker,
    port: sent.find((message) => message.kind === "ready")?.port ?? 0,
    change: (next: Data) => store.replace(next),
    sent,
    written,
    ended,
    reloads: () => reloads,
  };
}

it("a worker that drains reports all requests before its link ends, also while the primary is busy", async () => {
  const { worker, port, sent, written, ended } = await startedWorker();
  for (const path of ["/healthz", "/v1", "/v2"]) await get({ port }, path, { connection: "close" });
  void worker.receive({ kind: "drain" });
  const reported = () =>
    sent.flatMap((message) => (message.kind === "requests" ? message.requests : []));
  await expect.poll(() => reported().map(({ path }) => path)).toEqual(["/healthz", "/v1", "/v2"]);
  written.at(-1)?.();
  await ended;
});

it("a request that is counted while new data arrives is answered with the data of its own environment", async () => {
  const { port, worker, change, sent } = await startedWorker({ rateLimit: 10 });
  const target = "/v1/variables-values-by-name/DATABASE_URL/content";
  const answer = get({ port }, target, { ...DEV_HEADERS, connection: "close" });
  await expect.poll(() => sent.map(({ kind }) => kind)).toContain("count");
  // The environments `development` and `test` have swapped their ids.
  const swapped = (id: number) => ({ 1: 2, 2: 1 })[id] ?? id;
  change({
    ...DATA,
    environments: DATA.environments.map((record) => ({ ...record, id: swapped(record.id) })),
    values: DATA.values.map((record) => ({
      ...record,
      environment_id: swapped(record.environment_id),
    })),
  });
  await new Promise(setImmediate);
  await worker.receive({ kind: "counted", counts: [{ before: 0, permits: 0, timeLeft: 60_000 }] });
  expect(await answer).toMatchObject({ status: 200, json: { value: "postgres://localhost/dev" } });
});

it("a worker answers /healthz with the age of the data, and 503 above maxStale", async () => {
  for (const [maxStale, status] of [
    [3_600_000, 200],
    [60_000, 503],
  ] as const) {
    const { port } = await startedWorker({ maxStale, age: 61_000 });
    const answer = await get({ port }, "/healthz", { connection: "close" });
    expect(answer).toMatchObject({ status, headers: { "appvars-data-age": "61" } });
  }
});

it("a worker reloads its data on request", async () => {
  const { worker, reloads } = await startedWorker();
  await worker.receive({ kind: "reload" });
  expect(reloads()).toBe(1);
});

it("a worker that can't open its data tries again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { port } = await startedWorker({ isUnreadable: true });
  expect(await get({ port }, "/healthz", { connection: "close" })).toMatchObject({ status: 200 });
});
