import { ROUTES } from "../../model/routes.js";
import type { ServedRequest } from "../api/served-request.js";
import type { Counter } from "../limits/rate-limiter.js";

/** Upper bounds of the classes of latencies, in seconds. */
export const LATENCY_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/**
 * A route or method that is none of the known ones: clients choose their requests, but not the
 * number of counters.
 */
const OTHER = "other";
const METHODS = ["GET", "HEAD", OTHER] as const;

/**
 * Characters of a client's name: OpenMetrics allows 128 for all labels of an exemplar, with their
 * names.
 */
const MAX_CLIENT = 122;

/**
 * A request with a named key, in the form of prom-client: its time in seconds, and when it was
 * answered, in Unix time.
 */
interface Exemplar {
  readonly labelSet: { readonly client: string };
  readonly value: number;
  readonly timestamp: number;
}

/** The requests of a route that have been answered. */
interface RouteStatistics {
  /** How many, by method and status. */
  readonly answers: Readonly<Record<(typeof METHODS)[number], Map<number, number>>>;
  /**
   * How many took at most the time of each of `LATENCY_BOUNDS` and more than the one before; the
   * last took longer.
   */
  readonly latencies: number[];
  /** The last request of each class with a named key, if there was one. */
  readonly exemplars: (Exemplar | undefined)[];
  /** Milliseconds. */
  latencySum: number;
}

/**
 * The counts of a server since its start. Each number is counted in place: a request costs well
 * below 1 µs.
 */
export class ServerStatistics {
  /** By pattern, such as `/v1/variables/:id`. */
  readonly routes: ReadonlyMap<string, RouteStatistics> = new Map(
    [...Object.values(ROUTES), OTHER].map((route) => [route, newRouteStatistics()]),
  );
  readonly decisions: Readonly<Record<Counter["kind"], { allowed: number; refused: number }>> = {
    key: { allowed: 0, refused: 0 },
    address: { allowed: 0, refused: 0 },
    health: { allowed: 0, refused: 0 },
  };
  /** The number of open connections. */
  openConnections = (): number => 0;
  /** Whether requests can't be recorded in an audit log. */
  isRecordingFailed = (): boolean => false;

  /** Counts a request that is answered. */
  readonly count = ({
    route = OTHER,
    method = OTHER,
    status,
    milliseconds,
    client,
  }: ServedRequest): void => {
    const found = this.routes.get(route) as RouteStatistics;
    addAnswer(found, method, status);
    // Node's parser has refused the others.
    if (method !== OTHER) addLatency(found, milliseconds, client);
  };

  /** Counts a decision of the rate limit. */
  readonly decide = (kind: Counter["kind"], isAllowed: boolean): void => {
    this.decisions[kind][isAllowed ? "allowed" : "refused"]++;
  };
}

function newRouteStatistics(): RouteStatistics {
  const answers = { GET: new Map(), HEAD: new Map(), [OTHER]: new Map() };
  return {
    answers,
    latencies: Array<number>(LATENCY_BOUNDS.length + 1).fill(0),
    exemplars: [],
    latencySum: 0,
  };
}

function addAnswer({ answers }: RouteStatistics, method: string, status: number): void {
  const byStatus = answers[method === "GET" || method === "HEAD" ? method : OTHER];
  byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
}

function addLatency(
  route: RouteStatistics,
  milliseconds: number,
  client: string | undefined,
): void {
  route.latencySum += milliseconds;
  let index = 0;
  for (const bound of LATENCY_BOUNDS) {
    if (milliseconds <= bound * 1_000) break;
    index++;
  }
  route.latencies[index] = (route.latencies[index] ?? 0) + 1;
  if (client !== undefined && client.length <= MAX_CLIENT)
    route.exemplars[index] = {
      labelSet: { client },
      value: milliseconds / 1_000,
      timestamp: Date.now() / 1_000,
    };
}
