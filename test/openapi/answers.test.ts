import { expect, it } from "vitest";
import { get, type Headers, request } from "../support/http.js";
import { runningServer } from "../support/running-server.js";
import { shortTimeoutListener } from "../support/short-timeout-listener.js";
import { stubbedServer } from "../support/stubbed-server.js";
import { answerProblems } from "./answer-problems.js";
import { OPERATIONS } from "./document.js";
import { garblingProxy } from "./garbling-proxy.js";
import { everyStep, type Servers, type Step } from "./steps.js";

it("every answer of the server is described by the document: status, headers and body", async () => {
  const servers = await everyServer();
  const found = await Promise.all(
    everyStep().map((step) => stepProblems(step, servers[step.server])),
  );
  expect(found.flat()).toEqual([]);
});

it("every answer that the document describes is requested", () => {
  const described = [...OPERATIONS.values()].flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
  const asked = new Set(everyStep().map(({ operationId, status }) => `${operationId} ${status}`));
  // GET and HEAD are never answered 405. The parser answers 408 before it knows the path: one
  // stands for all.
  const exempt = /^(get|head)\w+ (405|408)$/;
  expect(described.filter((answer) => !asked.has(answer) && !exempt.test(answer))).toEqual([]);
});

async function stepProblems(
  { method, target, headers, operationId, status }: Step,
  server: { port: number },
) {
  const answer = await request(server, method, target, headers as Headers);
  const problems =
    answer.status === status ? answerProblems(operationId, answer) : [`status ${answer.status}`];
  return problems.map(
    (problem) => `${method} ${target.slice(0, 80)}, expected ${status}: ${problem}`,
  );
}

async function everyServer(): Promise<Servers> {
  const [good, limited, failing, unhealthy, stored, unrecorded] = await Promise.all([
    runningServer(),
    runningServer({ rateLimit: 1, rateWindow: 1_000 }),
    failingServer(),
    stubbedServer({ store: { problem: "the data file was deleted" } }),
    stubbedServer({ store: { age: 1_000 } }),
    runningServer({ audit: { record: () => false } }),
  ]);
  await Promise.all([
    get(limited, "/v1/variables"),
    get(limited, "/v1/variables", {}),
    get(limited, "/healthz", {}),
  ]);
  const nonsense = await garblingProxy(good, "nonsense\r\n\r\n");
  const halfRequest = await garblingProxy(
    await shortTimeoutListener(),
    "GET /healthz HTTP/1.1\r\nHost: a\r\n",
  );
  return { good, limited, failing, unhealthy, stored, unrecorded, nonsense, halfRequest };
}

function failingServer() {
  const fail = () => {
    throw new Error("no such luck");
  };
  const reads = {
    variables: fail,
    variable: fail,
    values: fail,
    value: fail,
    valueByName: fail,
    content: fail,
    valuesByName: fail,
    check: fail,
  };
  // Health can't make a date of this time.
  return stubbedServer({ reads, clock: () => 9e15 });
}
