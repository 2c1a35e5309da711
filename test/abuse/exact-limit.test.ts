import { expect, it } from "vitest";
import { Connection, requestText } from "../support/connection.js";
import { dataFile } from "../support/data-file.js";
import { grouped } from "../support/measuring.js";
import { counts, report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";
import { canaryData } from "./canaries.js";

const LIMIT = 1_000;
const CLIENTS = 200;
/** Of each client on the key that reaches its limit. */
const REQUESTS = 8;
/** Of the client on another key. */
const OTHERS = 300;

const DATA = canaryData();

function requestOf(index: number): string {
  const { api_key = "", api_secret = "" } = DATA.environments[index] ?? {};
  return requestText("GET", "/v1/variables?limit=1", [
    ["x-api-key", api_key],
    ["x-api-secret", api_secret],
  ]);
}

async function askInTurn(port: number, request: string, count: number): Promise<number[]> {
  const connection = new Connection(port);
  const statuses: number[] = [];
  while (statuses.length < count) statuses.push((await connection.ask(request))?.status ?? 0);
  connection.close();
  return statuses;
}

it("a rate limit holds under concurrent requests", async () => {
  const { path } = await dataFile(DATA);
  const flags = ["--rate-limit", `${LIMIT}/600s`];
  const { port, stop } = await serveProcess(["--data", path, ...flags]);
  const [others, ...busy] = await Promise.all([
    askInTurn(port, requestOf(1), OTHERS),
    ...Array.from({ length: CLIENTS }, () => askInTurn(port, requestOf(0), REQUESTS)),
  ]);
  const statuses = busy.flat();
  report(
    "Rate limit",
    `limit ${grouped(LIMIT)}; ${grouped(statuses.length)} requests with one key on ${CLIENTS} connections, ${OTHERS} with another`,
    `${counts(statuses)}; the other key: ${counts(others)}`,
  );
  const admitted = statuses.filter((status) => status === 200).length;
  expect(admitted).toBe(LIMIT);
  expect(statuses.filter((status) => status === 429)).toHaveLength(CLIENTS * REQUESTS - admitted);
  expect(new Set(others)).toEqual(new Set([200]));
  expect(await stop()).toBe(0);
});
