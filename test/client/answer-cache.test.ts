import { expect, it } from "vitest";
import { AnswerCache, createClient } from "../../src/client/client.js";
import { DATA, DEVELOPMENT } from "../support/data.js";
import { runningServer } from "../support/running-server.js";

const response = (status: number, etag?: string) => ({ status, headers: etag ? { etag } : {}, body: "" });

it("a kept answer is requested conditionally, and returned for a 304", () => {
  const cache = new AnswerCache();
  expect(cache.condition("/a")).toEqual({});
  const first = cache.answer("/a", response(200, '"1"'), () => ({ value: 1 }));
  expect(cache.condition("/a")).toEqual({ "if-none-match": '"1"' });
  expect(cache.answer("/a", response(304), () => expect.unreachable())).toBe(first);
  expect(cache.condition("/b")).toEqual({});
});

it("a kept answer is dropped after a newer or a failed one", () => {
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

it("a 304 to an unconditional request is refused", () => {
  const fail = () => {
    throw new Error("304");
  };
  expect(() => new AnswerCache().answer("/a", response(304), fail)).toThrow("304");
});

it("the newest 200 answers are kept", () => {
  const cache = new AnswerCache();
  for (let i = 0; i < 250; i++) cache.answer(`/${i}`, response(200, `"${i}"`), () => i);
  const kept = Array.from({ length: 250 }, (_, i) => i).filter((i) => "if-none-match" in cache.condition(`/${i}`));
  expect([kept.length, kept[0]]).toEqual([200, 50]);
});

it("a client with revalidate gets a 304 for unchanged data, and sees changes", async () => {
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
