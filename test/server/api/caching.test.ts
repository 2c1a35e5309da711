import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DataReplies } from "../../../src/server/api/data-replies.js";
import { EnvironmentView } from "../../../src/service/environment-view.js";
import { NO_DATA } from "../../../src/store/data.js";
import { edited } from "../../support/data.js";
import { DEV_HEADERS, get, request } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

const TARGET = "/v1/variables-values";

describe("ETag", () => {
  it.each([
    ["the tag itself", (tag: string) => tag],
    ["the tag as a weak one", (tag: string) => `W/${tag}`],
    ["a list that holds it", (tag: string) => `"a", ${tag},"b"`],
    ["a star", () => "*"],
  ])(
    "a request with If-None-Match: %s is answered with 304 and no body, for GET and HEAD",
    async (_case, match) => {
      const server = await runningServer();
      const tag = String((await get(server, TARGET)).headers.etag);
      for (const method of ["GET", "HEAD"]) {
        const answer = await request(server, method, TARGET, {
          ...DEV_HEADERS,
          "if-none-match": match(tag),
        });
        expect(answer).toMatchObject({
          status: 304,
          body: "",
          headers: { etag: tag, "cache-control": "no-store" },
        });
      }
    },
  );

  it.each([
    ["another tag", () => '"other"'],
    ["the tag without its quotes", (tag: string) => tag.replaceAll('"', "")],
    ["the beginning of the tag", (tag: string) => `${tag.slice(0, -2)}"`],
    ["nothing", () => ""],
  ])("a request with If-None-Match: %s is answered with 200", async (_case, match) => {
    const server = await runningServer();
    const { headers, body } = await get(server, TARGET);
    const answer = await get(server, TARGET, {
      ...DEV_HEADERS,
      "if-none-match": match(String(headers.etag)),
    });
    expect(answer).toMatchObject({ status: 200, body });
  });

  it("is different for each content, and stays the same", async () => {
    const server = await runningServer();
    const tag = async (target: string) => (await get(server, target)).headers.etag;
    const targets = [
      TARGET,
      `${TARGET}?limit=1`,
      `${TARGET}/11`,
      `${TARGET}/12`,
      "/v1/variables",
      "/v1/variables/1",
    ];
    const tags = await Promise.all(targets.map(tag));
    for (const one of tags) expect(one).toMatch(/^"[^"]+"$/);
    expect(new Set(tags).size).toBe(targets.length);
    expect(await Promise.all(targets.map(tag))).toEqual(tags);
  });

  it("is different for contents of the same length", async () => {
    const target = "/v1/variables-values-by-name/PORT/content";
    const portOf = (value: number) =>
      edited(({ values }) => (values[0].content.value = value)) as object;
    const [before, after] = [
      await runningServer({ data: portOf(3000) }),
      await runningServer({ data: portOf(4000) }),
    ];
    const { body, headers } = await get(before, target);
    const answer = await get(after, target, {
      ...DEV_HEADERS,
      "if-none-match": String(headers.etag),
    });
    expect([body, answer.status, answer.body]).toEqual(['{"value":3000}', 200, '{"value":4000}']);
  });

  it.each([
    { status: 401, target: TARGET, headers: { "x-api-key": "dev-key" } },
    { status: 404, target: `${TARGET}/19`, headers: DEV_HEADERS },
    { status: 400, target: `${TARGET}?limit=0`, headers: DEV_HEADERS },
    { status: 200, target: "/healthz", headers: {} },
  ])(
    "If-None-Match does not turn a $status for $target into a 304",
    async ({ status, target, headers }) => {
      const answer = await get(await runningServer(), target, { ...headers, "if-none-match": "*" });
      expect(answer.status).toBe(status);
      expect(answer.headers.etag).toBeUndefined();
    },
  );
});

describe("Cache-Control is no-store", () => {
  it.each([
    { status: 200, method: "GET", target: TARGET, headers: DEV_HEADERS },
    { status: 200, method: "HEAD", target: TARGET, headers: DEV_HEADERS },
    { status: 400, method: "GET", target: `${TARGET}?limit=0`, headers: DEV_HEADERS },
    { status: 401, method: "GET", target: TARGET, headers: {} },
    { status: 404, method: "GET", target: `${TARGET}/19`, headers: DEV_HEADERS },
    { status: 405, method: "POST", target: TARGET, headers: DEV_HEADERS },
  ])("in a $status on $method $target", async ({ status, method, target, headers }) => {
    const answer = await request(await runningServer(), method, target, headers);
    expect(answer).toMatchObject({ status, headers: { "cache-control": "no-store" } });
  });

  it("in a 429", async () => {
    const server = await runningServer({ rateLimit: 1 });
    await get(server, TARGET);
    expect(await get(server, TARGET)).toMatchObject({
      status: 429,
      headers: { "cache-control": "no-store" },
    });
  });
});

/**
 * Answers of one view.
 *
 * @returns asks for targets in turn, and tells which answers had to be made
 */
function repliesOf(sizeOf: (id: number) => number) {
  const replies = new DataReplies(false);
  const view = new EnvironmentView(NO_DATA, { id: 1, application: "shop" }, Date.now);
  const made: number[] = [];
  view.find = (read) => {
    const { id } = read as { id: number };
    made.push(id);
    return { value: "x".repeat(sizeOf(id)) };
  };
  return (...ids: number[]) => {
    made.length = 0;
    for (const id of ids) {
      if (!replies.cached(view, `/v1/variables/${id}`, {}))
        replies.answer(view, { kind: "variable", id }, {});
    }
    return [...made];
  };
}

describe("answers are kept", () => {
  const MIB = 1_024 * 1_024;

  it("up to 64 MiB, and then dropped", () => {
    const ask = repliesOf(() => MIB);
    const all = Array.from({ length: 60 }, (_, index) => index + 1);
    expect(ask(...all)).toEqual(all);
    expect(ask(...all)).toEqual([]);
    expect(ask(61, 62, 63, 64)).toEqual([61, 62, 63, 64]);
    expect(ask(64, 63, 64, 63)).toEqual([63]);
  });

  it("also if one is larger than that", () => {
    const ask = repliesOf(() => 70 * MIB);
    expect(ask(1, 1, 2, 2, 1)).toEqual([1, 2, 1]);
  });

  it.each([
    [
      "/v1/variables-values",
      ["?limit=50", "?offset=0&limit=050", "?x=1", "?%6cimit=50&x=2&x=3", "?"],
    ],
    ["/v1/variables?limit=1000", ["&limit", "&offset=x", "0", "&offset=00", "&offset=%30"]],
    ["/v1/variables-values-by-name/PORT", ["?x=1", "?names=A"]],
    ["/v1/variables-values-by-name/POR%54/content", ["?x=1"]],
    ["/v1/variables-values-by-name", ["?x=1", "?Names=A"]],
    [
      "/v1/variables-values-by-name?names=PORT,DEBUG",
      [",UNKNOWN", ",DEBUG", "&names=PORT", "&x", ",%50ORT", ",UNSET", ",,"],
    ],
    ["/v1/variables/2", ["?x=1"]],
    ["/v1/variables-values/12", ["?x=1"]],
    ["/v1/check", ["?x=1"]],
  ])("of %s once, whatever else is sent with it", async (target, ends) => {
    const find = vi.spyOn(EnvironmentView.prototype, "find");
    onTestFinished(() => find.mockRestore());
    const server = await runningServer();
    const { body } = await get(server, target);
    for (const end of ends) {
      const answer = await get(server, target + end);
      expect(answer.status === 200 ? answer.body : body).toBe(body);
      await request(server, "HEAD", target + end, DEV_HEADERS);
    }
    expect(find).toHaveBeenCalledTimes(1);
  });
});
