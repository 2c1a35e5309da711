import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { openSocket } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { TLS } from "../../support/tls.js";

/** The start of a handshake message of 512 bytes. */
const HALF_HELLO = Buffer.from("160301020001000000fc0303", "hex");

it("a TLS handshake that is not finished is cut off after 5 s, even if bytes still arrive", async () => {
  const server = await runningServer({ tls: TLS });
  const start = performance.now();
  const sockets = [await openSocket(server), await openSocket(server)] as const;
  const [, dripping] = sockets;
  dripping.write(HALF_HELLO);
  const timer = setInterval(() => dripping.write("\0"), 500);
  onTestFinished(() => clearInterval(timer));
  await Promise.all(sockets.map((socket) => once(socket.on("error", () => {}).resume(), "close")));
  expect(performance.now() - start).toBeGreaterThan(4_900);
});
