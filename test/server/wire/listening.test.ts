import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { get } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

it("the server listens on 127.0.0.1 only by default", async () => {
  const server = await runningServer();
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect(await get(server, "/healthz", {})).toMatchObject({ status: 200 });
  await expect(
    once(connect({ host: "127.0.0.2", port: server.port }), "connect"),
  ).rejects.toThrow();
});

it("the server listens on the given address", async () => {
  const server = await runningServer({ host: "127.0.0.2" });
  expect(server.url).toBe(`http://127.0.0.2:${server.port}`);
  await once(connect({ host: "127.0.0.2", port: server.port }).end(), "connect");
  // Not 127.0.0.1, where another program may have the same port.
  const elsewhere = once(connect({ host: "127.0.0.3", port: server.port }), "connect");
  await expect(elsewhere).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

it("the server fails with EADDRINUSE if the port is in use", async () => {
  const { port } = await runningServer();
  await expect(runningServer({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
