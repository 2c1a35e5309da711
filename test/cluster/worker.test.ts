import { expect, it, onTestFinished } from "vitest";
import type { ToPrimary } from "../../src/cluster/messages.js";
import { openSharedSocket } from "../../src/cluster/shared-socket.js";
import { feedSnapshots } from "../../src/cluster/snapshot-feed.js";
import { type PrimaryLink, Worker } from "../../src/cluster/worker.js";
import { withDefaults } from "../../src/server/start-server.js";
import { createMemoryStore } from "../../src/store/memory-store.js";
import { packOnDemand } from "../../src/store/packed-data.js";
import { DATA } from "../support/data.js";
import { get } from "../support/http.js";

/** A worker in this process that serves `DATA`, and the messages that it has sent. None counts as written. */
async function startedWorker() {
  const socket = await openSharedSocket("127.0.0.1", 0);
  onTestFinished(() => socket.close());
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
      if (message.kind === "not-listening") void worker.receive({ kind: "none-listening" });
    },
    end: () => onEnd(),
  };
  const worker = new Worker(link, Date.now);
  const options = withDefaults({ rateLimit: 0 });
  void worker.receive({ kind: "start", options, workers: 2, uptime: 0, reportsRequests: true }, socket.handle);
  const store = { ...createMemoryStore(DATA), snapshot: packOnDemand(DATA) };
  feedSnapshots(store, (message) => worker.receive(message));
  await expect.poll(() => sent.map(({ kind }) => kind)).toContain("ready");
  return { worker, port: socket.port, sent, written, ended };
}

it("a worker that drains reports all requests before its link ends, also while the primary is busy", async () => {
  const { worker, port, sent, written, ended } = await startedWorker();
  for (const path of ["/healthz", "/v1", "/v2"]) await get({ port }, path, { connection: "close" });
  void worker.receive({ kind: "drain" });
  const reported = () => sent.flatMap((message) => (message.kind === "requests" ? message.requests : []));
  await expect.poll(() => reported().map(({ path }) => path)).toEqual(["/healthz", "/v1", "/v2"]);
  written.at(-1)?.();
  await ended;
});
