import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Connection, requestText } from "../support/connection.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { DEV_HEADERS } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { quantile, report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";

const EACH = QUICK ? 100 : 500;
const MAX_MS = 10_000;
const MAX_P99_MS = QUICK ? 250 : 100;
const DRIP_MS = 500;

const HONEST = requestText(
  "GET",
  "/v1/variables-values-by-name/PORT/content",
  Object.entries(DEV_HEADERS),
);
/**
 * The requests of dripping clients, sent one byte at a time. The third has a body that never ends.
 */
const DRIPS = [
  HONEST,
  `GET / HTTP/1.1\r\n${"x: y\r\n".repeat(1_000)}`,
  `${HONEST.slice(0, -2)}Content-Length: 9999\r\n\r\n`,
];

/**
 * Opens a connection that sends `text` a byte at a time, at first all but the last bytes. Resolves
 * to how long it was open.
 */
function openSlowly(port: number, text = "", atOnce = 0): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let openedAt = performance.now();
    let sent = atOnce;
    const drip = setInterval(() => {
      if (sent < text.length) socket.write(text[sent++] ?? "");
    }, DRIP_MS);
    const finish = () => {
      clearInterval(drip);
      resolve(performance.now() - openedAt);
      socket.destroy();
    };
    onTestFinished(finish);
    socket.on("connect", () => {
      openedAt = performance.now();
      if (atOnce > 0) socket.write(text.slice(0, atOnce));
    });
    socket.on("error", () => {}).resume();
    socket.on("end", finish).on("close", finish);
  });
}

it("slow and silent clients are closed within 10 s, and others don't notice them", async () => {
  const { path } = await dataFile(DATA);
  const flags = ["--rate-limit", "0", "--max-connections", "1100"];
  const { port, log } = await serveProcess(["--data", path, ...flags]);
  const slow = Array.from({ length: 2 * EACH }, (_, index) => {
    if (index % 2 === 0) return openSlowly(port);
    const text = DRIPS[index % DRIPS.length] ?? "";
    return openSlowly(port, text, text.includes("Content-Length") ? text.length - 1 : 0);
  });
  let isOver = false;
  const times: number[] = [];
  const ask = async () => {
    const connection = new Connection(port);
    while (!isOver) {
      const start = performance.now();
      const answer = await connection.ask(HONEST);
      times.push(performance.now() - start);
      expect(answer?.body).toBe('{"value":3000}');
      // A client like others, not a load.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    connection.close();
  };
  const honest = Promise.all(Array.from({ length: 8 }, ask));
  const open = await Promise.all(slow);
  isOver = true;
  await honest;
  const longest = Math.max(...open);
  const p99 = quantile(times, 0.99);
  report(
    "Slow clients",
    `${EACH} silent and ${EACH} dripping sockets (a byte every ${DRIP_MS / 1_000} s), beside ${grouped(times.length)} honest requests`,
    `all closed within ${(longest / 1_000).toFixed(1)} s; honest requests: p99 ${p99.toFixed(1)} ms`,
  );
  expect(longest).toBeLessThan(MAX_MS);
  expect(p99).toBeLessThan(MAX_P99_MS);
  expect(log()).not.toMatch(/error/i);
});
