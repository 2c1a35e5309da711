import { strict as assert } from "node:assert";
import { join } from "node:path";
import { RATE_LIMIT } from "../shared/server-process.mjs";
import { median, ratios } from "../shared/statistics.mjs";
import { startCases } from "./cases.mjs";
import { halfLoad } from "./half-load.mjs";
import { spread, table, tenths, whole } from "./markdown.mjs";
import { startNeighbours } from "./neighbours.mjs";
import { AUTHENTICATION, get, prepareRequests } from "./requests.mjs";
import { wrk } from "./wrk.mjs";

/** Short, so that the servers of a round run under the same load of the machine. */
const RUN_SECONDS = 1;
/** How many targets are compared before each round. */
const CHECKED = 20;

/**
 * CPU time per request, and requests per second, of `appvars serve` and of other servers, as ratios
 * to those of a bare `node:http` server. The servers take turns.
 *
 * @param {{ folder: string, rounds: number, log: (text: string) => void }} options
 */
export async function throughput({ folder, rounds, log }) {
  const servers = [];
  try {
    const start = async (server) => {
      servers.push(server);
      return { server, url: await server.url() };
    };
    const cases = await startCases(folder, start);
    const neighbours = (await startNeighbours(folder)).map((item) => ({
      ...item,
      limit: cases[0],
      results: [],
    }));
    servers.push(...neighbours);
    for (const item of cases) if (item.isGuarded) await checkGuards(item);
    const requests = join(folder, "requests.http");
    // The first round warms up and is not counted.
    for (let round = 0; round <= rounds; round++) {
      for (const item of cases) {
        await checkAnswers(item);
        prepareRequests(requests, item.targets, item.authenticate);
        const result = await measure(item, requests);
        log(`round ${round} of ${rounds}: ${whole(result.rate)}/s ${item.name}, ${item.request}`);
        if (round > 0) item.results.push(result);
      }
      for (const item of neighbours) {
        const result = await item.measure();
        if (round > 0) item.results.push(result);
      }
    }
    const [bare, appvars] = cases;
    const ofAppvars = cases.filter(({ limit }) => limit === appvars);
    const ofBare = cases.filter((item) => !ofAppvars.includes(item));
    const tables = [
      report([...ofBare, ...neighbours]),
      report([{ ...appvars, limit: undefined }, ...ofAppvars]),
    ];
    return `${tables.join("\n\n")}\n\n${await halfLoad([bare, appvars], { requests, rounds, log })}`;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** Fails unless the server gives exactly the answers that all servers must give. */
async function checkAnswers({ name, url, targets, answers, authenticate, status }) {
  const step = Math.ceil(targets.length / CHECKED);
  for (const target of targets.filter((_, index) => index % step === 0)) {
    const answer = await get(url, target, authenticate);
    const expected = { status, body: status === 304 ? "" : JSON.stringify(answers.get(target)) };
    assert.deepEqual(
      { status: answer.status, body: answer.body },
      expected,
      `${name} answers ${target} differently`,
    );
  }
}

/**
 * Fails unless the server refuses a wrong signature and counts requests: it must not be fast by
 * doing less.
 */
async function checkGuards({ name, url, targets: [target] }) {
  const refused = await get(url, target, AUTHENTICATION.wrongSignature);
  assert.equal(refused.status, 401, `${name} checks signatures`);
  const { headers } = await get(url, target, AUTHENTICATION.signature);
  assert.equal(headers["ratelimit-limit"], String(RATE_LIMIT), `${name} limits the rate`);
}

/** @param {string} file with the requests */
export async function measure({ name, server, url, status }, file) {
  const cpuBefore = server.cpuSeconds();
  const { requests, seconds, errorStatuses } = await wrk(url, file, RUN_SECONDS);
  const cpuSeconds = server.cpuSeconds() - cpuBefore;
  if (errorStatuses !== (status < 400 ? 0 : requests)) {
    throw new Error(`${name}: ${errorStatuses} of ${requests} answers have an error status`);
  }
  return { rate: requests / seconds, cpu: (cpuSeconds / requests) * 1e6 };
}

/** A table of the measurements of each case, beside its limit. */
export function report(cases) {
  const column = (item, key) => item.results.map((result) => result[key]);
  const toLimit = (item, ratiosOf) => (item.limit ? spread(ratiosOf(item, item.limit)) : "1");
  const rows = cases.map((item) => [
    item.name,
    item.request,
    // As for requests: more is better.
    toLimit(item, (own, limit) => ratios(column(limit, "cpu"), column(own, "cpu"))),
    tenths(median(column(item, "cpu"))),
    toLimit(item, (own, limit) => ratios(column(own, "rate"), column(limit, "rate"))),
    whole(median(column(item, "rate"))),
  ]);
  const measures = ["By CPU time", "CPU time per request, µs", "By requests/s", "Requests/s"];
  return table(["Server", "Request", ...measures], rows, { textColumns: 2 });
}
