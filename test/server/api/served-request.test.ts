import { describe, expect, it, vi } from "vitest";
import type { ServedRequest } from "../../../src/server/api/served-request.js";
import { DEV_HEADERS, get, raw, request } from "../../support/http.js";
import { aVariable } from "../../support/records.js";
import { runningServer } from "../../support/running-server.js";
import { stubbedServer } from "../../support/stubbed-server.js";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

/** The next call of a hook. */
async function nextReport(onRequest: ReturnType<typeof vi.fn>): Promise<ServedRequest> {
  await vi.waitFor(() => expect(onRequest).toHaveBeenCalled());
  return onRequest.mock.calls.shift()?.[0];
}

it("onRequest is called for each answered request, with its route and without its query", async () => {
  const onRequest = vi.fn();
  let now = 0;
  const getVariable = () => {
    now += 25;
    return aVariable({ id: 1, name: "SLOW" });
  };
  const server = await stubbedServer({
    ticks: () => now,
    reads: { variable: getVariable },
    options: { onRequest },
  });
  const { body } = await get(server, "/v1/variables/1?token=x", DEV_HEADERS);
  expect(await nextReport(onRequest)).toStrictEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    method: "GET",
    path: "/v1/variables/1",
    route: "/v1/variables/:id",
    status: 200,
    milliseconds: 25,
    bytes: body.length,
    apiKey: DEV_HEADERS["x-api-key"],
    client: undefined,
    address: "127.0.0.1",
    counter: "key",
  });
  await request(server, "POST", "/healthz?token=x");
  expect(await nextReport(onRequest)).toMatchObject({
    method: "POST",
    route: "/healthz",
    status: 405,
    apiKey: undefined,
    counter: "health",
  });
  await request(server, "HEAD", "/v1/nothing");
  expect(await nextReport(onRequest)).toMatchObject({
    route: undefined,
    status: 401,
    bytes: 0,
    counter: "address",
  });
});

it("onRequest is called for a request that Node's parser refuses", async () => {
  const onRequest = vi.fn();
  const { body } = await raw(await runningServer({ onRequest }), "nonsense\r\n\r\n");
  const report = await nextReport(onRequest);
  expect(report).toMatchObject({
    path: "",
    status: 400,
    bytes: body.length,
    counter: "address",
  });
  expect([report.method, report.route]).toEqual([undefined, undefined]);
});

describe("the id of a request", () => {
  it.each([
    {
      headers: { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`, "x-request-id": "other" },
      id: TRACE_ID,
    },
    {
      headers: {
        traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
        "x-request-id": "req:1.2-3_4",
      },
      id: "req:1.2-3_4",
    },
    { headers: { traceparent: `00-${TRACE_ID.toUpperCase()}-00f067aa0ba902b7-01` }, id: undefined },
    { headers: { "x-request-id": 'a" level="error' }, id: undefined },
    { headers: { "x-request-id": "a".repeat(129) }, id: undefined },
    { headers: {}, id: undefined },
  ])("of $headers is $id, or random", async ({ headers, id }) => {
    const onRequest = vi.fn();
    await get(await runningServer({ onRequest }), "/healthz", headers);
    expect((await nextReport(onRequest)).id).toEqual(
      id ?? expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
    );
  });
});
