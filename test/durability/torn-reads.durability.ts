import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { BINARY, type Finished, run } from "../support/binary.js";
import { runCli } from "../support/cli.js";
import { type DataFile, dataFile } from "../support/data-file.js";
import { grouped, QUICK } from "../support/measuring.js";
import { aRecord } from "../support/records.js";
import { addRow, figure, type Row } from "./figure.js";
import { startProgram } from "./programs.js";

const VARIABLES = 5_000;
const REPLACED_EVERY_MS = 300;
/**
 * Exports by the code in this process, which are quick, and by separate processes, as users start
 * them.
 */
const EXPORTS = QUICK ? { here: 15, started: 5 } : { here: 100, started: 60 };
const EXPORTS_AT_REST = QUICK ? { here: 5, started: 2 } : { here: 20, started: 10 };
const VERSIONS = QUICK ? 4 : 11;

const CREDENTIALS = { APPVARS_API_KEY: "key", APPVARS_API_SECRET: "secret" };
const ARGV = ["export", "--format", "json", "--quiet"];

it("export prints one version of data that is replaced in the meantime", async () => {
  const { url } = await servedVersions();
  const atRest = await exportAll(url, EXPORTS_AT_REST);
  const { url: replacedUrl } = await servedVersions({ replaced: true });
  const tally = await exportAll(replacedUrl, EXPORTS, VERSIONS);
  addRow({ test: "exports while the data is replaced", ...counted(tally) });
  figure(`${described(tally)}; median ${times(tally)}, at rest ${times(atRest)}`);
  expect(atRest).toMatchObject({ torn: 0, lacking: 0, refused: 0 });
  expect(tally).toMatchObject({ torn: 0, lacking: 0, refused: 0, failed: 0 });
});

it("export finds most inconsistent reads behind a proxy that strips the revision", async () => {
  const { port } = await servedVersions({ replaced: true });
  const tally = await exportAll(await strippingProxy(port), EXPORTS);
  addRow({ test: "the same without a revision", ...counted(tally) });
  figure(`without Appvars-Revision: ${described(tally)}; median ${times(tally)}`);
  expect(tally).toMatchObject({ failed: 0 });
  // Values alone that change leave nothing to be found. Without a look at lengths and ids it is one
  // in five.
  expect(tally.torn + tally.lacking).toBeLessThan(tally.exports / (QUICK ? 3 : 10));
});

/**
 * The data of a version: all values are its number, and some of the variables are left out, so that
 * others move up.
 */
function versionOf(number: number) {
  const absent = absentFrom(number);
  const ids = Array.from({ length: VARIABLES }, (_, index) => index + 1).filter(
    (id) => !absent.has(id),
  );
  return {
    version: 1,
    environments: [
      { id: 1, application: "shop", name: "dev", api_key: "key", api_secret: "secret" },
    ],
    variables: ids.map((id) => aRecord({ id, type: "NUMBER", name: nameOf(id) })),
    values: ids.map((id) => ({
      id,
      variable_id: id,
      environment_id: 1,
      content: { value: number },
    })),
  };
}

/** None, one or two, so that the length of the lists changes with every second version. */
function absentFrom(number: number): Set<number> {
  const count = Math.floor(number / 2) % 3;
  return new Set(
    Array.from(
      { length: count },
      (_, index) => ((number * 7_919 + index * 104_729) % VARIABLES) + 1,
    ),
  );
}

function nameOf(id: number): string {
  return `V${id}`;
}

/**
 * A server in a separate process that serves the first version and, with `replaced`, later ones
 * until the test ends.
 */
async function servedVersions({ replaced = false } = {}) {
  const file = await dataFile(versionOf(1));
  const port = Number(await startProgram("server.mjs", [file.path]).firstLine);
  if (replaced) replaceUntilFinished(file);
  return { port, url: `http://127.0.0.1:${port}` };
}

function replaceUntilFinished(file: DataFile): void {
  const ended = new AbortController();
  const replace = async () => {
    const startedAt = performance.now();
    for (let number = 2; !ended.signal.aborted; number++) {
      const due = startedAt + (number - 1) * REPLACED_EVERY_MS;
      await delay(Math.max(0, due - performance.now()), undefined, { signal: ended.signal });
      await file.write(versionOf(number));
    }
  };
  const replacing = replace().catch(() => {});
  onTestFinished(() => {
    ended.abort();
    return replacing;
  });
}

interface Tally {
  exports: number;
  /** With values of two versions. */
  torn: number;
  /** Of one version, without a variable that it has. */
  lacking: number;
  /** Exit 7. */
  refused: number;
  /** Any other exit code but 0. */
  failed: number;
  versions: Set<unknown>;
  /** Milliseconds of each. */
  here: number[];
  started: number[];
}

function counted({
  exports,
  torn,
  lacking,
  refused,
}: Tally): Pick<Row, "tries" | "torn" | "refused"> {
  return { tries: exports, torn: torn + lacking, refused };
}

/**
 * Exports as often as `counts` says, and in this process until it has seen
 * `versions` versions.
 */
async function exportAll(
  url: string,
  counts: { here: number; started: number },
  versions = 1,
): Promise<Tally> {
  const tally: Tally = {
    ...{ exports: 0, torn: 0, lacking: 0, refused: 0, failed: 0 },
    ...{ versions: new Set(), here: [], started: [] },
  };
  const env = { APPVARS_URL: url, ...CREDENTIALS };
  const exportOnce = {
    here: () => runCli(ARGV, { env }),
    started: () => run(process.execPath, [BINARY, ...ARGV], env),
  };
  const exportTimed = async (how: "here" | "started") => {
    const startedAt = performance.now();
    count(await exportOnce[how](), tally);
    tally[how].push(performance.now() - startedAt);
  };
  for (const how of ["started", "here"] as const)
    while (tally[how].length < counts[how]) await exportTimed(how);
  while (tally.versions.size < versions) await exportTimed("here");
  return tally;
}

function count({ code, stdout }: Finished, tally: Tally): void {
  tally.exports++;
  if (code === 7) tally.refused++;
  else if (code !== 0) tally.failed++;
  if (code !== 0) return;
  const values = JSON.parse(stdout) as Record<string, number>;
  const versions = new Set(Object.values(values));
  const [version = 0] = versions;
  tally.versions.add(version);
  if (versions.size > 1) tally.torn++;
  else if (versionOf(version).variables.some(({ name }) => !(name in values))) tally.lacking++;
}

function described({ exports, torn, lacking, refused, versions }: Tally): string {
  const title = `${grouped(exports)} exports of ${grouped(VARIABLES)} variables, replaced every ${REPLACED_EVERY_MS} ms`;
  return `${title} (${versions.size} versions seen): ${torn} torn, ${lacking} lacking a variable, ${refused} exit 7`;
}

function times({ here, started }: Tally): string {
  return `${median(here)} ms in this process, ${median(started)} ms in one of its own`;
}

function median(numbers: readonly number[]): number {
  return Math.round(numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0);
}

/** Forwards everything except the revision. */
async function strippingProxy(port: number): Promise<string> {
  const proxy = createServer((req, res) => {
    const { method, url: path, headers } = req;
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
      const { "appvars-revision": _, ...passed } = answer.headers;
      res.writeHead(answer.statusCode ?? 0, passed);
      answer.pipe(res);
    });
    outgoing.on("error", () => res.destroy());
    outgoing.end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
