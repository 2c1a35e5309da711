import { Counter, Gauge, Registry } from "prom-client";
import { expect, it, onTestFinished, vi } from "vitest";
import { startMetricsServer } from "../../../src/server/metrics/metrics-server.js";
import { openSocket, receivedUntilClose } from "../../support/http.js";

async function metricsServer(registry = registryWithCounter()) {
  const onError = vi.fn();
  const server = await startMetricsServer({ host: "127.0.0.1", port: 0 }, registry, onError);
  onTestFinished(() => server.close());
  return { ...server, port: Number(new URL(server.url).port), onError };
}

function registryWithCounter() {
  const registry = new Registry();
  new Counter({ name: "answers_total", help: "Help.", registers: [registry] }).inc(42);
  return registry;
}

it("GET /metrics is answered in the text format of Prometheus, HEAD without a body", async () => {
  const { url } = await metricsServer();
  const answer = await fetch(url);
  expect(await answer.text()).toBe(
    "# HELP answers_total Help.\n# TYPE answers_total counter\nanswers_total 42\n",
  );
  expect(answer.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

it("other paths and methods are answered 404", async () => {
  const { url } = await metricsServer();
  expect((await fetch(new URL("/v1/variables", url))).status).toBe(404);
  expect((await fetch(url, { method: "POST" })).status).toBe(404);
});

/** A registry that can't be read, or not for now. */
function registryWith(collect: () => Promise<void>) {
  const registry = new Registry();
  new Gauge({ name: "broken", help: "Help.", registers: [registry], collect });
  return registry;
}

it("an error is answered 500 without a reason, and reported", async () => {
  const registry = registryWith(() => Promise.reject(new Error("a reason")));
  const { url, onError } = await metricsServer(registry);
  const answer = await fetch(url);
  expect([answer.status, await answer.text()]).toEqual([500, "Internal server error\n"]);
  expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: "a reason" }));
});

it("16 connections may be open", async () => {
  const server = await metricsServer();
  const sockets = await Promise.all(Array.from({ length: 17 }, () => openSocket(server)));
  await Promise.race(sockets.map(receivedUntilClose));
  const isOpen = ({ closed }: (typeof sockets)[number]) => !closed;
  expect(sockets.filter(isOpen)).toHaveLength(16);
});

it("close() does not wait for clients", async () => {
  const server = await metricsServer(registryWith(() => new Promise(() => {})));
  const socket = await openSocket(server);
  socket.write("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
  const received = receivedUntilClose(socket);
  await server.close();
  expect(await received).toBe("");
});
