import { expect, it, onTestFinished } from "vitest";
import { Client } from "../../src/client/client.js";
import { ServerError } from "../../src/kit/text/errors.js";
import { DATA, DEVELOPMENT } from "../support/data.js";
import { runningServer } from "../support/running-server.js";
import { httpPeer } from "./peer.js";

/**
 * A client that revalidates, of a server whose answers have these statuses and ETags, and the ETags
 * that it sent.
 */
async function clientOf(next: () => { status?: number; etag?: string }) {
  const sent: (string | undefined)[] = [];
  const { url } = await httpPeer((req, res) => {
    sent.push(req.headers["if-none-match"]);
    const { status = 200, etag } = next();
    const body = status === 200 ? { value: etag } : { message: "Not found" };
    res
      .writeHead(status, etag ? { etag } : {})
      .end(status === 304 ? undefined : JSON.stringify(body));
  });
  const client = new Client({ url, ...DEVELOPMENT, revalidate: true, maxWait: 0 });
  onTestFinished(() => client.close());
  return { client, sent };
}

it("a kept answer is requested conditionally, and returned for a 304", async () => {
  const { client, sent } = await clientOf(() =>
    sent.length === 1 ? { etag: '"1"' } : { status: 304 },
  );
  const first = await client.getContentByName("A");
  expect(await client.getContentByName("A")).toBe(first);
  expect(sent).toEqual([undefined, '"1"']);
});

it("a kept answer is replaced by a newer one", async () => {
  const { client, sent } = await clientOf(() => ({ etag: `"${sent.length}"` }));
  for (let i = 1; i <= 3; i++)
    expect(await client.getContentByName("A")).toEqual({ value: `"${i}"` });
  expect(sent).toEqual([undefined, '"1"', '"2"']);
});

it("a kept answer does not stand in for a failed one", async () => {
  const { client } = await clientOf(() => answers.shift() ?? { status: 304 });
  const answers = [{ etag: '"1"' }, { status: 404 }];
  await client.getContentByName("A");
  await expect(client.getContentByName("A")).rejects.toThrow("Not found");
});

it("a 304 to an unconditional request is refused", async () => {
  const { client } = await clientOf(() => ({ status: 304 }));
  await expect(client.getContentByName("A")).rejects.toThrow(ServerError);
});

it("the newest 200 answers are kept", async () => {
  const { client, sent } = await clientOf(() => ({ etag: '"1"' }));
  for (let i = 0; i < 250; i++) await client.getContentByName(`A${i}`);
  for (const i of [249, 50, 49]) await client.getContentByName(`A${i}`);
  expect(sent.slice(250)).toEqual(['"1"', '"1"', undefined]);
});

it("a client with revalidate gets a 304 for unchanged data, and sees changes", async () => {
  const { url } = await runningServer({ data: DATA });
  const statuses: number[] = [];
  const onResponse = ({ status }: { status: number }) => statuses.push(status);
  const client = new Client({ url, ...DEVELOPMENT, revalidate: true, onResponse });
  const first = await client.listValues();
  expect(await client.listValues()).toBe(first);
  await client.listVariables();
  await client.close();
  expect(statuses).toEqual([200, 304, 200]);
});
