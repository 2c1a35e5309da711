import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { countingFile, KEYS } from "../durability/counting-file.js";
import { keepAsking, type Outcome } from "../support/asking-clients.js";
import { grouped, QUICK } from "../support/measuring.js";
import { quantile, report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";

const STOPS = QUICK ? 2 : 20;
const CLIENTS = 32;
const LOAD_MS = 400;
const RECORDS = 20;
// Longest rests of the clients before each request, in turn.
const PAUSES_MS = [0, 20, 300, 1_000];
/** The time that open requests have. */
const MAX_MS = 10_000;

const tlsFile = (name: string) =>
  fileURLToPath(new URL(`../support/tls/${name}.pem`, import.meta.url));
const TLS = ["--tls-cert", tlsFile("certificate"), "--tls-key", tlsFile("key")];

const SERVERS: [server: string, flags: string[], tls: boolean][] = [
  ["plain", [], false],
  ["TLS", TLS, true],
];

it.each(SERVERS)(
  "a server under load stops soon, and cuts no answer off: %s",
  async (name, flags, tls) => {
    const path = await countingFile(RECORDS * 1_050);
    const outcomes: Outcome[] = [];
    const times: number[] = [];
    const codes: unknown[] = [];
    for (let stop = 0; stop < STOPS; stop++) {
      const server = await serveProcess(["--data", path, "--rate-limit", "0", ...flags]);
      const clients = Array.from({ length: CLIENTS }, (_, index) =>
        keepAsking(
          {
            port: server.port,
            path: "/v1/variables",
            headers: KEYS,
            tls,
            pauseMs: PAUSES_MS[index % PAUSES_MS.length] ?? 0,
          },
          (outcome) => outcome === "refused",
        ),
      );
      await delay(LOAD_MS + Math.random() * 50);
      const startedAt = performance.now();
      codes.push(await server.stop());
      times.push(performance.now() - startedAt);
      outcomes.push(...(await Promise.all(clients)).flat());
    }
    const count = (kind: Outcome) => outcomes.filter((outcome) => outcome === kind).length;
    const [median, longest] = [quantile(times, 0.5), Math.max(...times)];
    report(
      `SIGTERM, ${name}`,
      `${STOPS} times under ${CLIENTS} keep-alive connections`,
      `${grouped(count("answered"))} requests answered, ${count("cut off")} cut off; ${count("idle reset")} idle connections reset, ` +
        `${count("not accepted")} new ones; ` +
        `exit code 0 after ${Math.round(median)} ms (median), ${Math.round(longest)} ms (longest)`,
    );
    expect(new Set(codes)).toEqual(new Set([0]));
    expect(count("cut off")).toBe(0);
    expect(median).toBeLessThan(1_000);
    expect(longest).toBeLessThan(MAX_MS);
  },
);
