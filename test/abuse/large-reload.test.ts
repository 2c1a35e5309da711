import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { bigData } from "../support/big-data.mjs";
import { Connection, requestText } from "../support/connection.js";
import { dataFile } from "../support/data-file.js";
import { grouped } from "../support/measuring.js";
import { report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";

const VARIABLES = 40_000;
const CONNECTIONS = 8;
// The server has most of a processor, as beside clients on other machines.
const REST_MS = 20;
const MAX_MS = 60_000;
const HEADERS = [
  ["x-api-key", "key-of-staging"],
  ["x-api-secret", "secret-of-staging"],
] as const;
// A page of values, and one value from each end of the list.
const TARGETS = ["?limit=100", "?limit=1&offset=0", `?limit=1&offset=${VARIABLES - 1}`];

/** 25 MB of data, with the same text in all values. */
function version(value: string) {
  const data = bigData(VARIABLES);
  const variables = data.variables.map((each) => ({
    ...each,
    type: "STRING",
    description: "x".repeat(300),
  }));
  return {
    ...data,
    variables,
    values: data.values.map((each) => ({ ...each, content: { value } })),
  };
}

it("a server under load reloads a large file, and every answer is of one version", async () => {
  const { path, write } = await dataFile(version("one"));
  const server = await serveProcess(["--data", path, "--rate-limit", "0"]);
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(server.port));
  const seen = connections.map(() => [] as string[]);
  let longest = 0;
  const loads = connections.map(async (connection, index) => {
    for (let asked = index; seen[index]?.at(-1) !== "two"; asked++) {
      const startedAt = performance.now();
      const answer = await connection.ask(
        requestText("GET", `/v1/variables-values${TARGETS[asked % 3]}`, HEADERS),
      );
      longest = Math.max(longest, performance.now() - startedAt);
      const values = new Set(
        [...(answer?.body ?? "").matchAll(/"value":"(\w+)"/g)].map(([, text]) => text),
      );
      const [value = `status ${answer?.status}`] = values.size > 1 ? ["several versions"] : values;
      if (seen[index]?.at(-1) !== value) seen[index]?.push(value);
      if (!/^(one|two)$/.test(value)) return;
      await delay(REST_MS);
    }
  });
  await expect
    .poll(() => seen.every((versions) => versions.length > 0), { timeout: MAX_MS })
    .toBe(true);
  const next = JSON.stringify(version("two"));
  const writtenAt = performance.now();
  await write(next);
  await Promise.all(loads);
  const milliseconds = performance.now() - writtenAt;
  report(
    "Large reload",
    `${grouped(VARIABLES)} variables (${grouped(Math.round(next.length / 1e6))} MB) replaced under ${CONNECTIONS} connections`,
    `all answers of one version; the new one on all connections after ${(milliseconds / 1_000).toFixed(1)} s, longest answer ${longest.toFixed(0)} ms`,
  );
  expect(seen).toEqual(seen.map(() => ["one", "two"]));
  expect(milliseconds).toBeLessThan(MAX_MS);
  for (const connection of connections) connection.close();
  expect(await server.stop()).toBe(0);
});
