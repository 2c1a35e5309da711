import { expect, it } from "vitest";
import { openapiDocument } from "../../src/openapi/document.js";
import { describedResponse, operationsOf } from "../openapi/described-response.js";
import { garblingProxy } from "../openapi/garbling-proxy.js";
import { respect, type StepResult } from "../openapi/respect.js";
import { everyStep, type Servers, withOtherMethods } from "../openapi/steps.js";
import { get } from "../support/http.js";
import { runningServer } from "../support/running-server.js";
import { shortTimeoutListener } from "../support/short-timeout-listener.js";
import { stubbedServer } from "../support/stubbed-server.js";

const DOCUMENT = withOtherMethods(openapiDocument("1.2.3"));

// Sent by any HTTP server, and not described in OpenAPI.
const TRANSPORT_HEADERS = ["connection", "content-length", "content-type", "date", "keep-alive"];

// Nearly 300 requests.
it("every answer of the server is described by the document: status, headers and body", async () => {
  const results = await respect(DOCUMENT, { ...(await everyServer()) }, everyStep());
  expect(results.filter(({ failures }) => failures.length > 0)).toEqual([]);
  expect(results.flatMap(undescribedHeaders)).toEqual([]);
}, 60_000);

it("every answer that the document describes is requested", () => {
  const described = [...operationsOf(DOCUMENT).values()].flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
  const asked = new Set(everyStep().map(({ operationId, status }) => `${operationId} ${status}`));
  // GET and HEAD are never answered 405. The parser answers 408 before it knows the path: one stands for all.
  const exempt = /^(get|head)\w+ (405|408)$/;
  expect(described.filter((answer) => !asked.has(answer) && !exempt.test(answer))).toEqual([]);
});

async function everyServer(): Promise<Servers> {
  const [good, limited, failing, unhealthy, stored, unrecorded] = await Promise.all([
    runningServer(),
    runningServer({ rateLimit: 1, rateWindow: 1_000 }),
    failingServer(),
    stubbedServer({ store: { problem: "the data file was deleted" } }),
    stubbedServer({ store: { age: 1_000 } }),
    runningServer({ audit: { record: () => false } }),
  ]);
  await Promise.all([get(limited, "/v1/variables"), get(limited, "/v1/variables", {}), get(limited, "/healthz", {})]);
  const start = "GET /healthz HTTP/1.1\r\nHost: a\r\n";
  return {
    good: good.url,
    badPath: `${good.url}/%zz`,
    limited: limited.url,
    failing: failing.url,
    unhealthy: unhealthy.url,
    stored: stored.url,
    unrecorded: unrecorded.url,
    nonsense: await garblingProxy(good, "nonsense\r\n\r\n"),
    halfRequest: await garblingProxy(await shortTimeoutListener(), start),
  };
}

function failingServer() {
  const fail = () => {
    throw new Error("no such luck");
  };
  const reads = { variables: fail, variable: fail, values: fail, value: fail, valueByName: fail, content: fail };
  // Health can't make a date of this time.
  return stubbedServer({ reads, clock: () => Number.NaN });
}

function undescribedHeaders({ step, headers }: StepResult): string[] {
  const { headers: described } = describedResponse(DOCUMENT, step.operationId, step.status);
  const known = new Set([...Object.keys(described).map((name) => name.toLowerCase()), ...TRANSPORT_HEADERS]);
  return headers.filter((name) => !known.has(name)).map((name) => `${step.operationId} ${step.status}: ${name}`);
}
