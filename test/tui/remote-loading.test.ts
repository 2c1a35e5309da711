import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Page, type PageRequest, paginate } from "../../src/domain/page.js";
import type { Variable } from "../../src/domain/variable.js";
import { serve } from "../../src/serve.js";
import type { Data } from "../../src/store/data.js";
import { httpPeer, listening, tcpPeer, unusedPort } from "../client/peer.js";
import { DATA, edited } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { DEV_HEADERS } from "../support/http.js";
import { runningServer } from "../support/running-server.js";
import { stubbedServer } from "../support/stubbed-server.js";
import { developmentProfile, hasFailed, isWell, profileFolder, remoteProgram } from "./support/remote-program.js";

async function programOf(...urls: (string | URL)[]) {
  const profiles = Object.fromEntries(urls.map((url, index) => [`server-${index}`, developmentProfile(url)]));
  return remoteProgram({}, { config: (await profileFolder(profiles)).path });
}

function variables(count: number): Variable[] {
  return Array.from({ length: count }, (_, index) => {
    return { id: index + 1, type: "NUMBER", name: `NAME_${index + 1}`, description: "" };
  });
}

/** Data with so many variables in shop/development, each with its id as its value. */
function manyVariables(count: number): Data {
  const all = variables(count);
  return {
    version: 1,
    environments: DATA.environments,
    variables: all.map((variable) => ({ ...variable, application: "shop" })),
    values: all.map(({ id }) => ({ id, variable_id: id, environment_id: 1, content: { value: id } })),
  };
}

/** A server that holds each answer back until it is let go. */
async function gatedServer(data: object) {
  const waiting: (() => void)[] = [];
  const sleep = () => new Promise<void>((resolve) => void waiting.push(resolve));
  const paths: string[] = [];
  const server = await runningServer({
    data,
    drainGrace: 0,
    faults: { latency: { least: 1, most: 1 }, sleep },
    onRequest: ({ path }) => paths.push(path),
  });
  /** Lets so many requests be answered, each once it is there. */
  const answer = async (count: number) => {
    for (let answered = 0; answered < count; answered++) {
      await expect.poll(() => waiting.length, { interval: 5 }).toBeGreaterThan(0);
      waiting.shift()?.();
    }
  };
  return { ...server, answer, waiting, paths };
}

describe("while 2,500 variables are read", () => {
  it("the first rows are there before the rest, counted, and keys work on them", async () => {
    const server = await gatedServer(manyVariables(2_500));
    const program = await programOf(server.url);
    expect(program.frame()).toContain("reading…");
    await server.answer(2);
    await program.until(({ loaded }) => loaded.entries.length > 0);
    expect(program.frame()).toContain("1,000 of 2,500 read");
    expect(program.frame()).toMatch(/NAME_1 +NUMBER +••••••••/);
    program.press("j", "v");
    expect(program.frame()).toMatch(/NAME_2 +NUMBER +2 /);
    program.press("/", ..."999", "enter");
    expect(program.names).toEqual(["NAME_999"]);
    expect(program.state.loaded.isComplete).toBe(false);
    await server.answer(5);
    await program.until(isWell);
    expect(program.names).toEqual(["NAME_999", "NAME_1999"]);
    expect(program.frame()).toContain("2 of 2,500");
    expect(server.paths).toHaveLength(7);
  });

  it("a value that has not come yet is not taken for one that is not there", async () => {
    const { variables: all, values, ...data } = manyVariables(1_001);
    // Those of the first page have their values on the second one.
    const backwards = values.map((value) => ({ ...value, id: 2_000 - value.id }));
    const server = await gatedServer({ ...data, variables: all, values: backwards });
    const program = await programOf(server.url);
    await server.answer(2);
    await program.until(({ loaded }) => loaded.entries.length > 0);
    expect(program.frame()).toMatch(/NAME_1 +NUMBER +… /);
    program.press("y");
    expect(program.frame()).toContain("still reading");
    await server.answer(3);
    await program.until(isWell);
    program.press("y");
    await program.until(() => program.copied.length > 0);
    expect(program.copied).toEqual(["1"]);
  });

  it.each([
    ["a page", 2_500, "/v1/variables"],
    ["the last answer", 10, "/healthz"],
  ])(
    "another place can be opened: %s that comes late is dropped, and no more is asked for",
    async (_what, count, late) => {
      const server = await gatedServer(manyVariables(count));
      const other = await runningServer();
      const program = await programOf(server.url, other.url);
      await server.answer(2);
      await program.until(({ loaded }) => loaded.entries.length > 0);
      await expect.poll(() => server.waiting.length).toBe(1);
      program.press("h", "j", "enter");
      const seen = new Set<number>();
      onTestFinished(program.program.subscribe(() => seen.add(program.state.loaded.entries.length)));
      await server.answer(1);
      await program.until(isWell);
      await expect.poll(() => server.paths).toEqual(["/v1/variables", "/v1/variables-values", late]);
      // By the time that this is answered, so is that.
      program.press("r");
      await program.until(isWell);
      expect([...seen].filter((length) => length !== 0 && length !== 7)).toEqual([]);
      expect(server.waiting).toEqual([]);
      expect(program.frame()).toContain("7 variables");
    },
  );

  it("a failure keeps the rows that have come, and the next try has them all", async () => {
    const all = variables(1_500);
    let isBroken = true;
    const { url } = await stubbedServer({
      source: {
        listVariables: async (page: PageRequest = {}) => {
          if (isBroken && page.offset) throw new Error("hunter2");
          return paginate(all, page);
        },
      },
    });
    const program = await programOf(url);
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ trying again in 1 s: the server failed with status 500");
    expect(program.names).toHaveLength(1_000);
    expect(program.state.loaded.isComplete).toBe(false);
    isBroken = false;
    program.pass(1);
    await program.until(isWell);
    expect(program.names).toHaveLength(1_500);
  });
});

describe("a server that is down", () => {
  it("at the start is told with when it is tried again, and comes up by itself", async () => {
    const port = await unusedPort();
    const program = await programOf(`http://127.0.0.1:${port}`);
    await program.until(hasFailed);
    expect(program.frame()).toContain(
      `✗ can't reach http://127.0.0.1:${port}: connection refused; is the server running?`,
    );
    expect(program.frame()).toContain("trying again in 1 s; r tries now");
    program.pass(1);
    await program.until(({ loaded }) => loaded.failures === 2 && loaded.nextAt !== undefined);
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

  it("is tried at once with r, once however often that is pressed", async () => {
    const port = await unusedPort();
    const program = await programOf(`http://127.0.0.1:${port}`);
    await program.until(hasFailed);
    const paths: string[] = [];
    await runningServer({ port, onRequest: ({ path }) => paths.push(path) });
    program.press("r", "r", "r", "r");
    await program.until(isWell);
    expect(paths).toEqual(["/v1/variables", "/v1/variables-values", "/healthz"]);
  });

  it("later leaves the rows and tells of it on one line of the list, and the data grow old until it is back", async () => {
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
    await program.until(({ loaded }) => loaded.failures === 2 && loaded.nextAt !== undefined);
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
  it("is counted down from Retry-After, and it is tried again by itself then", async () => {
    let limited = true;
    const { url } = await fakeServer({
      "/v1/variables": () => (limited ? { status: 429, headers: { "Retry-After": "12" } } : undefined),
    });
    const program = await programOf(url);
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ rate limit reached: trying again in 12 s");
    program.pass(11);
    expect(program.frame()).toContain("✗ rate limit reached: trying again in 1 s");
    limited = false;
    expect(program.state.loaded.isComplete).toBe(false);
    program.pass(1);
    await program.until(isWell);
    limited = true;
    program.pass(5);
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ rate limit reached: trying again in 12 s");
    limited = false;
    program.press("r");
    await program.until(isWell);
    expect(program.frame()).not.toContain("rate limit reached");
  });

  it("without a time is tried again after longer and longer", async () => {
    const { url } = await fakeServer({ "/v1/variables": () => ({ status: 429 }) });
    const program = await programOf(url);
    const waits: number[] = [];
    for (let failures = 1; failures <= 4; failures++) {
      await program.until(({ loaded }) => loaded.failures === failures);
      const wait = ((program.state.loaded.nextAt ?? 0) - program.state.now) / 1_000;
      waits.push(wait);
      program.pass(wait);
    }
    expect(waits).toEqual([1, 2, 4, 8]);
  });

  it("is shown as the environment has it, after each answer", async () => {
    const { url } = await runningServer({ rateLimit: 5 });
    const program = await programOf(url);
    await program.until(isWell);
    expect(program.frame()).toContain("limit 3/5");
    program.pass(5);
    await program.until(isWell);
    expect(program.frame()).toContain("limit 1/5");
    program.pass(5);
    await program.until(hasFailed);
    expect(program.frame()).toMatch(/limit 0\/5!.*\n.*\n.*✗ rate limit reached: trying again in \d+ s/);
  });
});

describe("looking for changes", () => {
  it("asks only whether there are any, and marks and tells of them by name", async () => {
    const { path, write } = await dataFile(DATA);
    const answers: string[] = [];
    const { url } = await runningServer({
      data: path,
      onRequest: ({ path, status }) => answers.push(`${path} ${status}`),
    });
    const program = await programOf(url);
    await program.until(isWell);
    const before = program.state.loaded.entries;
    answers.length = 0;
    program.pass(4.9);
    expect(program.state.loaded.nextAt).toBeDefined();
    program.pass(0.1);
    await program.until(isWell);
    expect(answers).toEqual(["/v1/variables 304", "/v1/variables-values 304", "/healthz 200"]);
    expect(program.state.loaded.entries).toBe(before);
    expect(program.frame()).toContain("0 s old");

    await write(
      edited((data) => {
        data.values[0].content.value = 4321;
        data.variables[2].name = "DEBUG_ALL";
        data.variables.push({ id: 9, application: "shop", type: "STRING", name: "NEW", description: "" });
        data.values.push({ id: 20, variable_id: 9, environment_id: 1, content: { value: "hunter2" } });
      }),
    );
    await expect
      .poll(async () => (await fetch(`${url}/v1/variables`, { headers: DEV_HEADERS })).text(), { timeout: 10_000 })
      .toContain("NEW");
    program.pass(5);
    await program.until(({ marks }) => marks !== undefined);
    expect(program.frame()).toContain("added: DEBUG_ALL, NEW; changed: PORT; removed: DEBUG");
    expect(program.frame()).toMatch(/~ PORT/);
    expect(program.frame()).toMatch(/\+ NEW/);
    expect(program.frame()).not.toMatch(/4321|hunter2/);
    program.pass(60);
    expect(program.frame()).not.toMatch(/~ PORT|\+ NEW/);
  });

  it("never takes more than four requests a second", async () => {
    const { url } = await runningServer({ data: manyVariables(12_000) });
    const program = await programOf(url);
    await program.until(isWell);
    // Twelve pages of both lists, and the health.
    expect((program.state.loaded.nextAt ?? 0) - program.state.now).toBe(25 * 250);
  });
});

describe("a list", () => {
  it("of 5,000 variables takes eleven requests, and all are there", async () => {
    const paths: string[] = [];
    const { url } = await runningServer({ data: manyVariables(5_000), onRequest: ({ path }) => paths.push(path) });
    const program = await programOf(url);
    await program.until(isWell);
    expect(paths).toHaveLength(11);
    const { entries } = program.state.loaded;
    expect(entries.map(({ value }) => value?.content.value)).toEqual(entries.map((_, index) => index + 1));
    expect(entries).toHaveLength(5_000);
  });

  it.each([
    ["grows", 900, 1_800],
    ["shrinks", 2_500, 600],
    ["says that it goes on and on", 900, Number.MAX_SAFE_INTEGER],
  ])("that %s between pages ends, and is right at the next look", async (_what, first, then) => {
    let isOdd = true;
    const all = variables(1_200);
    const { url } = await stubbedServer({
      source: {
        listVariables: async ({ limit = 50, offset = 0 }: PageRequest = {}): Promise<Page<Variable>> => {
          const total = isOdd ? (offset === 0 ? first : then) : all.length;
          return { metadata: { limit, offset, total }, data: all.slice(offset, offset + Math.min(limit, 700)) };
        },
      },
    });
    const program = await programOf(url);
    await program.until(isWell);
    isOdd = false;
    program.pass(10);
    await program.until(isWell);
    expect(program.state.loaded.entries).toHaveLength(1_200);
    expect(program.frame()).not.toContain("✗");
  });
});

const NOT_OURS = "what answered with status 200 does not speak the appvars API";

describe("a server that answers oddly is told of without anything of what it sent", () => {
  it.each<[string, FakeAnswer, string]>([
    ["nonsense", { body: "hunter2 <html>" }, NOT_OURS],
    ["another JSON", { body: '{"password":"hunter2"}' }, NOT_OURS],
    ["a failure", { status: 500, body: '{"message":"hunter2"}' }, "the server failed with status 500"],
    ["a failure of a proxy", { status: 502, body: "<html>hunter2" }, "the server failed with status 502"],
    [
      "a redirect",
      { status: 302, headers: { Location: "https://login.example/in?token=hunter2" } },
      "the server redirects to https://login.example/in, which is not followed",
    ],
    ["half of an answer", { headers: { "Content-Length": "99" }, body: "hunter2", isCut: true }, "can't reach"],
  ])("%s", async (_what, answer, expected) => {
    const { url } = await fakeServer({ "/v1/variables": () => answer });
    const program = await programOf(url);
    await program.until(hasFailed);
    expect(program.frame()).toContain(`✗ ${expected}`);
    expect(program.frame()).toContain("trying again in 1 s");
    expect(program.frame()).not.toContain("hunter2");
  });

  it("what is not HTTP", async () => {
    const { url } = await tcpPeer((socket) => void socket.end("hunter2\r\n"));
    const program = await programOf(url);
    await program.until(hasFailed);
    expect(program.frame()).toContain(`✗ ${url.origin} does not answer with HTTP`);
    expect(program.frame()).not.toContain("hunter2");
  });

  it("a certificate of nobody that is known, until the profile names it", async () => {
    const fixture = (name: string) => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
    const [key, cert] = await Promise.all([readFile(fixture("key.pem")), readFile(fixture("certificate.pem"))]);
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

  it("nothing in time", async () => {
    const { url } = await httpPeer(() => {});
    const folder = await profileFolder({ slow: developmentProfile(url, { timeout: "0.05" }) });
    const program = await remoteProgram({}, { config: folder.path });
    await program.until(hasFailed);
    expect(program.frame()).toContain(`✗ no answer from ${url.origin} within 0.05 s`);
  });
});

describe("a server that says it is not well", () => {
  it("has that above its variables, until it is well again", async () => {
    const { path, write } = await dataFile(DATA);
    const { url } = await runningServer({ data: path });
    const health = async () => (await fetch(`${url}/healthz`)).status;
    const program = await programOf(url);
    await program.until(isWell);
    await write('{ "hunter2');
    await expect.poll(health, { timeout: 10_000 }).toBe(503);
    program.pass(5);
    await program.until(({ loaded }) => loaded.problem !== undefined);
    expect(program.frame()).toMatch(/! .*is not valid JSON/);
    expect(program.frame()).not.toContain("hunter2");
    expect(program.names).toHaveLength(7);
    program.press("/", ..."zzz", "enter");
    expect(program.frame()).toMatch(/! .*is not valid JSON/);
    program.press("escape");
    await write(DATA);
    await expect.poll(health, { timeout: 10_000 }).toBe(200);
    program.pass(5);
    await program.until(({ loaded }) => loaded.problem === undefined);
    expect(program.frame()).not.toContain("! ");
  });
});

interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  isCut?: boolean;
}

/** A server without variables that is healthy, but for what these say. */
async function fakeServer(answers: Record<string, () => FakeAnswer | undefined>) {
  const page = JSON.stringify({ metadata: { limit: 1_000, offset: 0, total: 0 }, data: [] });
  const health = JSON.stringify({ uptime: 1, message: "OK", date: "2026-01-01T00:00:00.000Z" });
  return httpPeer((req, res) => {
    const path = (req.url ?? "").replace(/\?.*/, "");
    const answer = answers[path]?.();
    const { status = 200, headers = {}, body = path === "/healthz" ? health : page, isCut = false } = answer ?? {};
    res.writeHead(status, headers);
    if (isCut) res.write(body, () => res.destroy());
    else res.end(body);
  });
}
