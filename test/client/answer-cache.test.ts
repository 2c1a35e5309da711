import { expect, it } from "vitest";
import { AnswerCache } from "../../src/client/answer-cache.js";
import { createClient } from "../../src/create-client.js";
import { DATA, DEVELOPMENT } from "../support/data.js";
import { runningServer } from "../support/running-server.js";

const response = (status: number, etag?: string) => ({ status, headers: etag ? { etag } : {}, body: "" });

it("asks on condition once it has an answer, and takes a 304 for it", () => {
  const cache = new AnswerCache();
  expect(cache.condition("/a")).toEqual({});
  const first = cache.answer("/a", response(200, '"1"'), () => ({ value: 1 }));
  expect(cache.condition("/a")).toEqual({ "if-none-match": '"1"' });
  expect(cache.answer("/a", response(304), () => expect.unreachable())).toBe(first);
  expect(cache.condition("/b")).toEqual({});
});

it("forgets an answer that another has taken the place of, or that failed", () => {
  const cache = new AnswerCache();
  cache.answer("/a", response(200, '"1"'), () => 1);
  expect(cache.answer("/a", response(200, '"2"'), () => 2)).toBe(2);
  expect(cache.condition("/a")).toEqual({ "if-none-match": '"2"' });
  const fail = () => {
    throw new Error("404");
  };
  expect(() => cache.answer("/a", response(404), fail)).toThrow("404");
  expect(cache.condition("/a")).toEqual({});
});

it("hands an unasked-for 304 to the decoder, which refuses it", () => {
  const fail = () => {
    throw new Error("304");
  };
  expect(() => new AnswerCache().answer("/a", response(304), fail)).toThrow("304");
});

it("keeps so many and no more, the newest", () => {
  const cache = new AnswerCache();
  for (let i = 0; i < 250; i++) cache.answer(`/${i}`, response(200, `"${i}"`), () => i);
  const kept = Array.from({ length: 250 }, (_, i) => i).filter((i) => "if-none-match" in cache.condition(`/${i}`));
  expect([kept.length, kept[0]]).toEqual([200, 50]);
});

it("makes a client that reads again pay a 304, and see a change", async () => {
  const { url } = await runningServer({ data: DATA });
  const statuses: number[] = [];
  const onResponse = ({ status }: { status: number }) => statuses.push(status);
  const client = createClient({ url, ...DEVELOPMENT, revalidate: true, onResponse });
  const first = await client.listValues();
  expect(await client.listValues()).toBe(first);
  await client.listVariables();
  await client.close();
  expect(statuses).toEqual([200, 304, 200]);
});
