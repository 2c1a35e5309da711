import { median, ratios } from "../shared/statistics.mjs";
import { spread, table, whole } from "./markdown.mjs";
import { prepareRequests } from "./requests.mjs";
import { wrk } from "./wrk.mjs";

const RUN_SECONDS = 1;
/** Before each request of a connection. The number of connections makes the load. */
const PAUSE_MS = 2;

/**
 * How long answers take while a server gets half of the requests per second that it can answer,
 * beside the bare server with half of its own.
 *
 * @param {{ name: string, url: string, targets: string[], authenticate: Function }[]} cases the
 *   first is the bare server
 * @param {{ requests: string, rounds: number, log: (text: string) => void }} options `requests` is
 *   the path of a file
 */
export async function halfLoad(cases, { requests, rounds, log }) {
  const results = cases.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { name, url, targets, authenticate }] of cases.entries()) {
      prepareRequests(requests, targets, authenticate);
      const most = rate(await wrk(url, requests, RUN_SECONDS));
      prepareRequests(requests, targets, authenticate);
      const connections = Math.round((most / 2) * (PAUSE_MS / 1_000));
      const half = await wrk(url, requests, RUN_SECONDS, { connections, pauseMs: PAUSE_MS });
      log(`half load, round ${round + 1} of ${rounds}: p99 ${half.p99} µs, ${name}`);
      results[index].push({ load: rate(half) / most, p50: half.p50, p99: half.p99 });
    }
  }
  const column = (index, key) => results[index].map((result) => result[key]);
  const rows = cases.map(({ name }, index) => [
    name,
    spread(column(index, "load")),
    whole(median(column(index, "p50"))),
    whole(median(column(index, "p99"))),
    index === 0 ? "1" : spread(ratios(column(index, "p99"), column(0, "p99"))),
  ]);
  return table(
    ["Server", "Share of the most requests/s", "Median, µs", "p99, µs", "p99, ratio"],
    rows,
  );
}

const rate = ({ requests, seconds }) => requests / seconds;
