import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { BINARY, start } from "../support/binary.js";
import { countingFile, KEYS } from "./counting-file.js";
import { addRow, figure, grouped, QUICK } from "./figure.js";

const STOPS = QUICK ? 8 : 20;
const CLIENTS = 32;
const LOAD_MS = 400;
const RECORDS = 20;
// Longest rests of the clients before each request, in turn.
const PAUSES_MS = [0, 20, 300, 1_000];

interface Tally {
  answered: number;
  /** Requests that the server closed the idle connection under: they are sent again, on a new connection. */
  idleResets: number;
  /** What such a client sees. */
  resets: number;
  stopMs: number[];
}

it("a server under load stops soon, and resets no request that a client can't send again", async () => {
  const path = await countingFile(RECORDS * 1_050);
  const tally: Tally = { answered: 0, idleResets: 0, resets: 0, stopMs: [] };
  for (let stop = 0; stop < STOPS; stop++) await stopUnderLoad(path, tally);

  const times = tally.stopMs.toSorted((one, other) => one - other).map(Math.round);
  const [median = Number.NaN, longest = Number.NaN] = [times[Math.floor(STOPS / 2)], times.at(-1)];
  addRow({ test: "requests while the server stops", tries: tally.answered + tally.resets, refused: tally.resets });
  figure(
    `SIGTERM under ${CLIENTS} keep-alive connections, ${STOPS} times: stopped in ${median} ms (median), ` +
      `${longest} ms (longest); ${grouped(tally.answered)} requests answered, ${tally.resets} reset, ` +
      `${tally.idleResets} on an idle connection`,
  );
  expect(tally.resets).toBe(0);
  expect(median).toBeLessThan(1_000);
});

async function stopUnderLoad(path: string, tally: Tally): Promise<void> {
  const server = start(process.execPath, [BINARY, "serve", "--data", path, "--port", "0", "--rate-limit", "0"]);
  server.stderr?.resume();
  const [line] = await once(server.stdout?.setEncoding("utf8") ?? server, "data");
  const port = Number(/:(\d+)$/m.exec(line)?.[1]);
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    askUntilRefused(port, PAUSES_MS[index % PAUSES_MS.length] ?? 0, tally),
  );
  await delay(LOAD_MS + Math.random() * 50);
  const startedAt = performance.now();
  server.kill("SIGTERM");
  const [code] = await once(server, "exit");
  tally.stopMs.push(performance.now() - startedAt);
  expect(code).toBe(0);
  await Promise.all(clients);
}

/** Sends one request after the other, until the server no longer takes connections. */
async function askUntilRefused(port: number, pauseMs: number, tally: Tally): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (let outcome: Outcome = "answered"; outcome !== "refused"; ) {
    if (pauseMs > 0) await delay(Math.random() * pauseMs);
    outcome = await ask(port, agent);
    if (outcome === "answered") tally.answered++;
    if (outcome === "idle reset") tally.idleResets++;
    if (outcome === "reset") tally.resets++;
  }
}

type Outcome = "answered" | "refused" | "idle reset" | "reset";

async function ask(port: number, agent: Agent): Promise<Outcome> {
  const outgoing = request({ host: "127.0.0.1", port, path: "/v1/variables", headers: KEYS, agent });
  outgoing.end();
  let hasBegun = false;
  try {
    const [incoming] = await once(outgoing, "response");
    hasBegun = true;
    await text(incoming);
    return incoming.statusCode === 200 ? "answered" : "reset";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return "refused";
    return outgoing.reusedSocket && !hasBegun ? "idle reset" : "reset";
  }
}
