import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../../src/library/local-server.js";
import { type Page, type PageRequest, paginate } from "../../../src/model/reads/page.js";
import type { Variable } from "../../../src/model/variable.js";
import type { Data } from "../../../src/store/data.js";
import { httpPeer, listening, tcpPeer, unusedPort } from "../../client/peer.js";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { HELD, holdLatency } from "../../support/held-latency.js";
import { DEV_HEADERS } from "../../support/http.js";
import { aRecord, aVariable } from "../../support/records.js";
import { runningServer } from "../../support/running-server.js";
import { stubbedServer } from "../../support/stubbed-server.js";
import { switchingServer } from "../../support/switching-server.js";
import {
  developmentProfile,
  hasFailed,
  isWell,
  profileFolder,
  remoteProgram,
} from "../support/tui.js";

async function programOf(...urls: (string | URL)[]) {
  const profiles = Object.fromEntries(
    urls.map((url, index) => [`server-${index}`, developmentProfile(url)]),
  );
  return remoteProgram({}, { config: (await profileFolder(profiles)).path });
}

function variables(count: number): Variable[] {
  return Array.from({ length: count }, (_, index) => {
    return aVariable({ id: index + 1, type: "NUMBER", name: `NAME_${index + 1}` });
  });
}

/** Data with a number of variables in shop/development, each with its id as its value. */
function manyVariables(count: number): Data {
  const all = variables(count);
  return {
    version: 1,
    environments: DATA.environments,
    variables: all.map((variable) => ({ ...variable, application: "shop" })),
    values: all.map(({ id }) => ({
      id,
      variable_id: id,
      environment_id: 1,
      content: { value: id },
    })),
  };
}

/** A server that delays each answer until it is released. */
async function gatedServer(data: object) {
  const { held: waiting } = holdLatency();
  const paths: string[] = [];
  const server = await runningServer({
    data,
    drainGrace: 0,
    ...HELD,
    onRequest: ({ path }) => paths.push(path),
  });
  /** Releases the answers to a number of requests. */
  const answer = async (count: number) => {
    for (let answered = 0; answered < count; answered++) {
      await expect.poll(() => waiting.length, { interval: 5 }).toBeGreaterThan(0);
      waiting.shift()?.();
    }
  };
  return { ...server, answer, waiting, paths };
}

describe("while 2,500 variables are read", () => {
  it("the first ones are shown and usable before the rest", async () => {
    const server = await gatedServer(manyVariables(2_500));
    const program = await programOf(server.url);
    expect(program.frame()).toContain("reading…");
    await server.answer(2);
    await program.until(() => program.reading.entries.length > 0);
    expect(program.frame()).toContain("reading… 1,000 of 2,500 · ");
    expect(program.frame()).toMatch(/NAME_1 +NUMBER +••••••••/);
    program.press("j", "v");
    expect(program.frame()).toMatch(/NAME_2 +NUMBER +2 /);
    program.press("/", ..."999", "enter");
    expect(program.names).toEqual(["NAME_999"]);
    expect(program.reading.isComplete).toBe(false);
    await server.answer(5);
    await program.until(isWell);
    expect(program.names).toEqual(["NAME_999", "NAME_1999"]);
    expect(program.frame()).toContain("2 of 2,500");
    expect(server.paths).toHaveLength(7);
  });

  it("a value that hasn't been read yet is not shown as missing", async () => {
    const { variables: all, values, ...data } = manyVariables(1_001);
    // The values of the variables on the first page are on the second page.
    const backwards = values.map((value) => ({ ...value, id: 2_000 - value.id }));
    const server = await gatedServer({ ...data, variables: all, values: backwards });
    const program = await programOf(server.url);
    await server.answer(2);
    await program.until(() => program.reading.entries.length > 0);
    expect(program.frame()).toMatch(/NAME_1 +NUMBER +… /);
    program.press("y");
    expect(program.frame()).toContain("please wait");
    await server.answer(3);
    await program.until(() => program.copied.length > 0);
    expect(program.copied).toEqual(["1"]);
  });

  it.each([
    ["a page", 2_500, "/v1/variables"],
    ["the last answer", 10, "/healthz"],
  ])(
    "after another place was opened, %s that arrives late is dropped, and no more is requested",
    async (_what, count, late) => {
      const server = await gatedServer(manyVariables(count));
      const other = await runningServer();
      const program = await programOf(server.url, other.url);
      await server.answer(2);
      await program.until(() => program.reading.entries.length > 0);
      await expect.poll(() => server.waiting.length).toBe(1);
      program.press("h", "j", "enter");
      const seen = new Set<number>();
      onTestFinished(program.program.subscribe(() => seen.add(program.reading.entries.length)));
      await server.answer(1);
      await program.until(isWell);
      await expect
        .poll(() => server.paths)
        .toEqual(["/v1/variables", "/v1/variables-values", late]);
      // The earlier request is answered before this one.
      program.press("r");
      await program.until(isWell);
      expect([...seen].filter((length) => length !== 0 && length !== 7)).toEqual([]);
      expect(server.waiting).toEqual([]);
      expect(program.frame()).toContain("7 variables");
    },
  );

  it("a failure keeps the rows that were read, and the next try reads all of them", async () => {
    const all = variables(1_500);
    let isBroken = true;
    const { url } = await stubbedServer({
      reads: {
        variables: (page) => {
          if (isBroken && page.offset) throw new Error("hunter2");
          return paginate(all, page);
        },
        // The values of the data belong to other variables.
        values: (page) => paginate([], page),
      },
    });
    const program = await programOf(url);
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ trying again in 1 s: the server failed with status 500");
    expect(program.names).toHaveLength(1_000);
    expect(program.reading.isComplete).toBe(false);
    isBroken = false;
    program.pass(1);
    await program.until(isWell);
    expect(program.names).toHaveLength(1_500);
  });
});

describe("a server that is down", () => {
  it("is retried from the start until it answers", async () => {
    const port = await unusedPort();
    const program = await programOf(`http://127.0.0.1:${port}`);
    await program.until(hasFailed);
    expect(program.frame()).toContain(
      `✗ can't reach http://127.0.0.1:${port} (url of profile server-0): connection refused; is the server running?`,
    );
    expect(program.frame()).toContain("trying again in 1 s; r tries now");
    program.pass(1);
    await program.until(
      () => program.reading.failures === 2 && program.reading.nextAt !== undefined,
    );
    expect(program.frame()).toContain("trying again in 2 s");
    program.pass(1);
    expect(program.frame()).toContain("trying again in 1 s");
    await runningServer({ port });
    program.pass(1);
    expect(program.frame()).toContain("connection refused");
    await program.until(isWell);
    expect(program.names).toHaveLength(7);
    expect(program.frame()).not.toContain("✗");
  });

  it("is retried once with r, however often it is pressed", async () => {
    const port = await unusedPort();
    const program = await programOf(`http://127.0.0.1:${port}`);
    await program.until(hasFailed);
    const paths: string[] = [];
    await runningServer({ port, onRequest: ({ path }) => paths.push(path) });
    program.press("r", "r", "r", "r");
    await program.until(isWell);
    expect(paths).toEqual(["/v1/variables", "/v1/variables-values", "/healthz"]);
  });

  it("is reported on one line above the rows if it goes down later", async () => {
    const server = await stoppableServer();
    const program = await programOf(server.url);
    await program.until(isWell);
    await server.close();
    program.pass(5);
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ trying again in 1 s: can't reach");
    expect(program.names).toHaveLength(7);
    expect(program.frame()).toContain("5 s old");
    program.press("v");
    expect(program.frame()).toContain("postgres://localhost/dev");
    program.pass(1);
    await program.until(
      () => program.reading.failures === 2 && program.reading.nextAt !== undefined,
    );
    expect(program.frame()).toContain("6 s old");
    expect(program.frame().match(/✗ trying again/g)).toHaveLength(1);
    await stoppableServer(server.port);
    program.pass(2);
    await program.until(isWell);
    expect(program.frame()).not.toContain("✗");
    expect(program.frame()).toContain("0 s old");
  });

  async function stoppableServer(port = 0) {
    const server = await serve({ data: DATA, port, drainGrace: 0 });
    onTestFinished(() => server.close());
    return server;
  }
});

describe("a rate limit", () => {
  it("counts down from Retry-After, then the server is read again", async () => {
    let limited = true;
    const { url } = await fakeServer({
      "/v1/variables": () =>
        limited ? { status: 429, headers: { "Retry-After": "12" } } : undefined,
    });
    const program = await programOf(url);
    await program.until(hasFailed);
    expect(program.frame()).toMatch(/✗ rate limit reached[\s\S]*trying again in 12 s; r tries now/);
    program.pass(11);
    expect(program.frame()).toContain("trying again in 1 s; r tries now");
    limited = false;
    expect(program.reading.isComplete).toBe(false);
    program.pass(1);
    await program.until(isWell);
    limited = true;
    program.pass(5);
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ trying again in 12 s: rate limit reached");
    limited = false;
    program.press("r");
    await program.until(isWell);
    expect(program.frame()).not.toContain("rate limit reached");
  });

  it("without a time is followed by retries after increasing delays", async () => {
    const { url } = await fakeServer({ "/v1/variables": () => ({ status: 429 }) });
    const program = await programOf(url);
    const waits: number[] = [];
    for (let failures = 1; failures <= 7; failures++) {
      await program.until(() => program.reading.failures === failures);
      const wait = ((program.reading.nextAt ?? 0) - program.state.time) / 1_000;
      waits.push(wait);
      program.pass(wait);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it("is updated after each response", async () => {
    const { url } = await runningServer({ rateLimit: 5 });
    const program = await programOf(url);
    await program.until(isWell);
    expect(program.frame()).toContain("limit 3/5");
    program.pass(5);
    await program.until(isWell);
    expect(program.frame()).toContain("limit 1/5");
    program.pass(5);
    await program.until(hasFailed);
    expect(program.frame()).toMatch(
      /limit 0\/5!.*\n.*\n.*✗ trying again in \d+ s: rate limit reached/,
    );
  });
});

it("a place of a comparison that failed is retried", async () => {
  const [staging, test] = await Promise.all([
    fakeServer({}),
    fakeServer({ "/v1/variables": () => (isDown ? { status: 500 } : undefined) }),
  ]);
  let isDown = true;
  const profiles = { staging: developmentProfile(staging.url), test: developmentProfile(test.url) };
  const tui = await remoteProgram({}, { config: (await profileFolder(profiles)).path });
  await tui.until(isWell);
  tui.press(":", ..."diff test", "enter");
  await tui.shows(/trying again in 1 s; r tries now/);
  isDown = false;
  await tui.tickUntil(/no differences/);
});

describe("looking for changes", () => {
  it("marks changes on a server and announces them by name", async () => {
    const { path, write } = await dataFile(DATA);
    const answers: string[] = [];
    const { url } = await runningServer({
      data: path,
      onRequest: ({ path, status }) => answers.push(`${path} ${status}`),
    });
    const program = await programOf(url);
    await program.until(isWell);
    const before = program.reading.entries;
    answers.length = 0;
    program.pass(4.9);
    expect(program.reading.nextAt).toBeDefined();
    program.pass(0.1);
    await program.until(isWell);
    expect(answers).toEqual(["/v1/variables 304", "/v1/variables-values 304", "/healthz 200"]);
    expect(program.reading.entries).toBe(before);
    expect(program.frame()).toContain("0 s old");

    await write(
      edited((data) => {
        data.values[0].content.value = 4321;
        data.variables[2].name = "DEBUG_ALL";
        data.variables.push(aRecord({ id: 9, name: "NEW" }));
        data.values.push({
          id: 20,
          variable_id: 9,
          environment_id: 1,
          content: { value: "hunter2" },
        });
      }),
    );
    await expect
      .poll(async () => (await fetch(`${url}/v1/variables`, { headers: DEV_HEADERS })).text(), {
        timeout: 10_000,
      })
      .toContain("NEW");
    program.pass(5);
    await program.until(() => program.reading.changes !== undefined);
    expect(program.frame()).toContain("added: DEBUG_ALL, NEW; changed: PORT; removed: DEBUG");
    expect(program.frame()).toMatch(/~ PORT/);
    expect(program.frame()).toMatch(/\+ NEW/);
    expect(program.frame()).not.toMatch(/4321|hunter2/);
    program.pass(60);
    expect(program.frame()).not.toMatch(/~ PORT|\+ NEW/);
  });

  it("uses the interval of the settings", async () => {
    const paths: string[] = [];
    const { url } = await runningServer({ onRequest: ({ path }) => paths.push(path) });
    const { path: config } = await profileFolder({ staging: developmentProfile(url) });
    const program = await remoteProgram({}, { config, preferences: { pollMs: 60_000 } });
    await program.until(isWell);
    program.pass(59);
    expect(program.frame()).toContain("59 s old");
    expect(paths).toHaveLength(3);
    program.pass(1);
    await program.shows(/· 0 s old/);
    expect(paths).toHaveLength(6);
  });

  it("sends one request to each server of the matrix while r is held down, and retries one that was left in the meantime", async () => {
    const server = await gatedServer(manyVariables(10));
    const program = await programOf(server.url, server.url);
    await server.answer(3);
    await program.until(isWell);
    program.press("m");
    await server.answer(3);
    await program.shows(/= same += same/);
    program.press("r", "r", "r");
    await server.answer(6);
    await program.until(isWell);
    expect(server.waiting).toEqual([]);
    await expect.poll(() => server.paths).toHaveLength(12);
    program.press("r");
    await expect.poll(() => server.waiting).toHaveLength(2);
    program.press("escape", "m");
    program.pass(1);
    await expect.poll(() => server.waiting).toHaveLength(3);
  });

  it("sends at most four requests a second", async () => {
    const { url } = await runningServer({ data: manyVariables(9_001) });
    const program = await programOf(url);
    await program.until(isWell);
    // Ten pages of both lists, and the health.
    expect((program.reading.nextAt ?? 0) - program.state.time).toBe(21 * 250);
  });
});

describe("a list", () => {
  /**
   * A server of 1,200 variables with pages of up to 700. While `odd.is` is true, it lists variables
   * as `listOddly` does.
   */
  async function oddServer(listOddly: (page: Required<PageRequest>) => Page<Variable>) {
    const odd = { is: true };
    const all = variables(1_200);
    const { url } = await stubbedServer({
      reads: {
        variables: ({ limit, offset }) => {
          const page = { limit: Math.min(limit, 700), offset };
          return odd.is ? listOddly(page) : paginate(all, page);
        },
        // The values of the data belong to other variables.
        values: (page) => paginate([], page),
      },
    });
    return { program: await programOf(url), odd };
  }

  it.each([
    ["grows", 900, 1_800],
    ["shrinks", 2_500, 600],
  ])("that %s between pages is refused until the next read", async (_what, first, then) => {
    const { program, odd } = await oddServer((page) =>
      paginate(variables(page.offset === 0 ? first : then), page),
    );
    await program.until(hasFailed);
    expect(program.frame()).toContain(`the length of a list changed from ${first} to ${then}`);
    odd.is = false;
    program.pass(10);
    await program.until(isWell);
    expect(program.reading.entries).toHaveLength(1_200);
    expect(program.frame()).not.toContain("✗");
  });

  it("that changes during a read is read again", async () => {
    const next = manyVariables(2_500);
    const values = next.values.map((value) => ({ ...value, content: { value: -value.id } }));
    // The data changes between the first and the second pages.
    const { url } = await switchingServer([manyVariables(2_500), { ...next, values }], {
      pick: (before) => (before < 3 ? 0 : 1),
    });
    const program = await programOf(url);
    const mixed: unknown[] = [];
    onTestFinished(
      program.program.subscribe(() => {
        const { entries, failure } = program.reading;
        const signs = new Set(
          entries.flatMap(({ value }) => (value ? [Math.sign(Number(value.content.value))] : [])),
        );
        if (signs.size > 1 || failure) mixed.push({ signs, failure });
      }),
    );
    await program.until(isWell);
    expect(program.reading.entries.map(({ value }) => value?.content.value)).toEqual(
      values.map(({ content }) => content.value),
    );
    expect(mixed).toEqual([]);
  });

  it("without an end is refused until the next read", async () => {
    const { program, odd } = await oddServer((page) => {
      const { metadata, data } = paginate(variables(1_200), page);
      return { metadata: { ...metadata, total: Number.MAX_SAFE_INTEGER }, data };
    });
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ not an appvars server (status 200): metadata.total");
    odd.is = false;
    program.pass(10);
    await program.until(isWell);
    expect(program.reading.entries).toHaveLength(1_200);
  });
});

const NOT_OURS = "not an appvars server (status 200)";

describe("an unexpected answer is reported without its content", () => {
  it.each<[string, FakeAnswer, string]>([
    ["nonsense", { body: "hunter2 <html>" }, NOT_OURS],
    ["another JSON", { body: '{"password":"hunter2"}' }, NOT_OURS],
    [
      "a failure",
      { status: 500, body: '{"message":"hunter2"}' },
      "the server failed with status 500",
    ],
    [
      "a failure of a proxy",
      { status: 502, body: "<html>hunter2" },
      "the server failed with status 502",
    ],
    [
      "a redirect",
      { status: 302, headers: { Location: "https://login.example/in?token=hunter2" } },
      "the server redirects to https://login.example/in, which is not followed",
    ],
    [
      "half of an answer",
      { headers: { "Content-Length": "99" }, body: "hunter2", isCut: true },
      "can't reach",
    ],
  ])("%s from a server", async (_what, answer, expected) => {
    const { url } = await fakeServer({ "/v1/variables": () => answer });
    const program = await programOf(url);
    await program.until(hasFailed);
    expect(program.frame()).toContain(`✗ ${expected}`);
    expect(program.frame()).toContain("trying again in 1 s");
    expect(program.frame()).not.toContain("hunter2");
  });

  it("for an answer that isn't HTTP", async () => {
    const { url } = await tcpPeer((socket) => void socket.end("hunter2\r\n"));
    const program = await programOf(url);
    await program.until(hasFailed);
    expect(program.frame()).toContain(`✗ ${url.origin} does not answer with HTTP`);
    expect(program.frame()).not.toContain("hunter2");
  });

  it("an unknown certificate is refused until the profile has it", async () => {
    const fixture = (name: string) =>
      fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));
    const [key, cert] = await Promise.all([
      readFile(fixture("key.pem")),
      readFile(fixture("certificate.pem")),
    ]);
    const server = createServer({ key, cert }, (_req, res) => void res.writeHead(500).end());
    const { url } = await listening(server, "https");
    const folder = await profileFolder({ tls: developmentProfile(url) });
    const program = await remoteProgram({}, { config: folder.path });
    await program.until(hasFailed);
    expect(program.frame()).toContain("self-signed");
    await folder.write({ tls: developmentProfile(url, { ca_file: fixture("certificate.pem") }) });
    program.press("r");
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ the server failed with status 500");
  });

  it("a server without an answer in time is reported", async () => {
    const { url } = await httpPeer(() => {});
    const folder = await profileFolder({ slow: developmentProfile(url, { timeout: "0.05" }) });
    const program = await remoteProgram({}, { config: folder.path });
    await program.until(hasFailed);
    expect(program.frame()).toContain(
      `✗ can't reach ${url.origin} (url of profile slow): no answer within 0.05 s`,
    );
  });
});

describe("an unhealthy server", () => {
  it("has its problem shown above its variables", async () => {
    const { path, write } = await dataFile(DATA);
    const { url } = await runningServer({ data: path });
    const health = async () => (await fetch(`${url}/healthz`)).status;
    const program = await programOf(url);
    await program.until(isWell);
    await write('{ "hunter2');
    await expect.poll(health, { timeout: 10_000 }).toBe(503);
    program.pass(5);
    await program.until(() => program.reading.problem !== undefined);
    expect(program.frame()).toMatch(/ 5 s old *\n[\s\S]*! .*could not be read again/);
    expect(program.frame()).not.toContain("hunter2");
    expect(program.names).toHaveLength(7);
    program.press("/", ..."zzz", "enter");
    expect(program.frame()).toMatch(/! .*could not be read again/);
    program.press("escape");
    await write(DATA);
    await expect.poll(health, { timeout: 10_000 }).toBe(200);
    program.pass(5);
    await program.until(() => program.reading.problem === undefined);
    expect(program.frame()).not.toContain("! ");
  });
});

interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  isCut?: boolean;
}

/** A healthy server without variables, except for these answers. */
async function fakeServer(answers: Record<string, () => FakeAnswer | undefined>) {
  const page = JSON.stringify({ metadata: { limit: 1_000, offset: 0, total: 0 }, data: [] });
  const health = JSON.stringify({ uptime: 1, message: "OK", date: "2026-01-01T00:00:00.000Z" });
  return httpPeer((req, res) => {
    const path = (req.url ?? "").replace(/\?.*/, "");
    const answer = answers[path]?.();
    const {
      status = 200,
      headers = {},
      body = path === "/healthz" ? health : page,
      isCut = false,
    } = answer ?? {};
    res.writeHead(status, headers);
    if (isCut) res.write(body, () => res.destroy());
    else res.end(body);
  });
}
