import { once } from "node:events";
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openapiDocument } from "../../src/openapi/document.js";
import { respect } from "./respect.js";

const BODY = { id: 1, type: "STRING", name: "A", description: "" };
const HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "ratelimit-limit": "7500",
  "ratelimit-remaining": "7499",
  "ratelimit-reset": "60",
  "cache-control": "no-store",
  etag: '"x"',
  "appvars-revision": "uWPVUCGB0OGHVI0t7vIDmo",
};
const RIGHT = { status: 200, headers: HEADERS, body: BODY };

/** Answers to a request for a variable that break the contract, and what the checker has to report. */
const BROKEN = {
  fieldTooMany: [{ ...RIGHT, body: { ...BODY, secret: 1 } }, /^schema check: .*secret/s],
  fieldMissing: [{ ...RIGHT, body: { id: 1, type: "STRING", name: "A" } }, /^schema check: .*description/s],
  wrongType: [{ ...RIGHT, body: { ...BODY, id: "1" } }, /^schema check: .*id/s],
  wrongValue: [{ ...RIGHT, body: { ...BODY, type: "DATE" } }, /^schema check: .*BOOLEAN/s],
  headerMissing: [{ ...RIGHT, headers: { ...HEADERS, etag: [] } }, /^success criteria check: .*ETag/],
  wrongHeader: [{ ...RIGHT, headers: { ...HEADERS, "ratelimit-reset": "soon" } }, /^success .*RateLimit-Reset/],
  wrongConstant: [{ ...RIGHT, headers: { ...HEADERS, "cache-control": "public" } }, /^success .*Cache-Control/],
  wrongMedia: [{ ...RIGHT, headers: { ...HEADERS, "content-type": "text/html" } }, /^content-type check/],
  undescribedStatus: [{ ...RIGHT, status: 203 }, /^status code check/],
} as const;

it("the checker finds each way to break the contract, and nothing in an answer that keeps it", async () => {
  const answers = {
    right: RIGHT,
    ...Object.fromEntries(Object.entries(BROKEN).map(([name, [answer]]) => [name, answer])),
  };
  const url = await serverOf(answers);
  const names = Object.keys(answers);
  const found = await respect(
    openapiDocument("1.2.3"),
    Object.fromEntries(names.map((name) => [name, `${url}/${name}`])),
    names.map((server) => ({
      server,
      operationId: "getVariable",
      parameters: [{ in: "path", name: "id", value: 1 }],
      status: 200,
    })),
  );
  const failures = new Map(found.map(({ step, failures }) => [step.server, failures]));
  expect(failures.get("right")).toEqual([]);
  for (const [name, [, text]] of Object.entries(BROKEN)) {
    expect(failures.get(name), name).toContainEqual(expect.stringMatching(text));
  }
});

interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  body: object;
}

/** A server that sends the answer named by the first part of the path. */
async function serverOf(answers: Record<string, Answer>): Promise<string> {
  const server = createServer((req, res) => {
    const { status, headers, body } = answers[req.url?.split("/")[1] ?? ""] ?? RIGHT;
    res.writeHead(status, headers).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
