import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import type { ServedRequest } from "../../../src/server/api/served-request.js";
import { createAddressOf } from "../../../src/server/limits/client-address.js";
import { get } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

/**
 * The address of a request from a socket's address.
 *
 * @param forwarded `X-Forwarded-For`, once for each item
 */
async function addressOf(
  trustProxy: string[] | undefined,
  socketAddress: string | undefined,
  ...forwarded: string[]
) {
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: socketAddress });
  const req = new IncomingMessage(socket);
  for (const value of forwarded)
    (req as unknown as AddsHeaders)._addHeaderLine("X-Forwarded-For", value, req.headers);
  return createAddressOf(trustProxy)(req);
}

/** The method that Node's parser calls. */
interface AddsHeaders {
  _addHeaderLine(name: string, value: string, headers: object): void;
}

const PROXIES = ["10.0.0.0/8", "2001:db8:ffff::/48"];
const PROXY = "10.0.0.1";
const CLIENT = "192.0.2.1";

describe("the address of a request", () => {
  it.each([
    ["without trusted proxies", undefined, PROXY, [CLIENT], PROXY],
    ["from a proxy", PROXIES, PROXY, [CLIENT], CLIENT],
    ["from a proxy that a socket for IPv6 names", PROXIES, `::ffff:${PROXY}`, [CLIENT], CLIENT],
    ["from an IPv6 proxy", PROXIES, "2001:db8:ffff::1", ["2001:db8:1:2:3::4"], "2001:db8:1:2::/64"],
    ["from a proxy on the same machine", ["loopback"], "127.0.0.1", [CLIENT], CLIENT],
    ["through two proxies", PROXIES, PROXY, [`${CLIENT}, 10.9.9.9`], CLIENT],
    ["with an entry that the client made up", PROXIES, PROXY, [`198.51.100.7, ${CLIENT}`], CLIENT],
    ["with a header that the client made up", PROXIES, PROXY, ["198.51.100.7", CLIENT], CLIENT],
    ["from a client that is not a proxy", PROXIES, CLIENT, ["198.51.100.7"], CLIENT],
    ["from a proxy itself", PROXIES, PROXY, [], PROXY],
    ["of which all addresses are of proxies", PROXIES, PROXY, ["10.0.0.3,10.0.0.2"], "10.0.0.3"],
    ["with space around it", PROXIES, PROXY, [`\t ${CLIENT} \t`], CLIENT],
    ["from a client that has disconnected", PROXIES, undefined, [CLIENT], "unknown"],
  ])("%s", async (_what, proxies, socketAddress, forwarded, expected) => {
    expect(await addressOf(proxies, socketAddress, ...forwarded)).toBe(expected);
  });

  it.each([
    ["unknown"],
    ["192.0.2.1:8080"],
    ["[2001:db8::1]:80"],
    ["[2001:db8::1]"],
    ['"192.0.2.1"'],
    ["for=192.0.2.1"],
    [""],
    [" "],
    ["10.1"],
    ["0x0a000001"],
    ["167772161"],
    ["10.0.0.01"],
    ["_hidden"],
    ["a".repeat(10_000)],
  ])("is that of the proxy that sent %j in place of an address", async (entry) => {
    expect(await addressOf(PROXIES, PROXY, entry)).toBe(PROXY);
    expect(await addressOf(PROXIES, PROXY, `198.51.100.7,${entry},10.0.0.9`)).toBe("10.0.0.9");
  });

  it("is found at the end of thousands of entries", async () => {
    expect(await addressOf(PROXIES, PROXY, `${"198.51.100.7,".repeat(10_000)}${CLIENT}`)).toBe(
      CLIENT,
    );
    expect(await addressOf(PROXIES, PROXY, ",".repeat(16_000))).toBe(PROXY);
    expect(await addressOf(PROXIES, PROXY, `${"10.0.0.2,".repeat(1_000)}10.0.0.2`)).toBe(
      "10.0.0.2",
    );
  });
});

it("a server refuses a proxy that is not an address", async () => {
  await expect(runningServer({ trustProxy: ["proxy.example"] })).rejects.toThrow(
    '"proxy.example" is not an address',
  );
});

it("behind a trusted proxy, each client has a counter of its own, for /healthz and without credentials", async () => {
  const onRequest = vi.fn<(request: ServedRequest) => void>();
  const server = await runningServer({ trustProxy: ["loopback"], rateLimit: 1, onRequest });
  const statuses = async (client: string) => {
    const answers = ["/healthz", "/v1/variables", "/healthz"].map((path) =>
      get(server, path, {
        "X-Forwarded-For": client,
        "X-Forwarded-Proto": "https",
        Forwarded: "for=198.51.100.7",
      }),
    );
    return (await Promise.all(answers)).map(({ status }) => status).sort();
  };
  expect(await statuses("192.0.2.1")).toEqual([200, 401, 429]);
  expect(await statuses("192.0.2.2")).toEqual([200, 401, 429]);
  expect(await statuses("1.1.1.1, 192.0.2.1")).toEqual([429, 429, 429]);
  const addresses = onRequest.mock.calls.map(([{ address }]) => address);
  expect(new Set(addresses)).toEqual(new Set(["192.0.2.1", "192.0.2.2"]));
});

it("without trusted proxies, a client can't choose the counter of its requests", async () => {
  const server = await runningServer({ rateLimit: 1 });
  const status = async (client: string) =>
    (await get(server, "/healthz", { "X-Forwarded-For": client })).status;
  expect([await status("192.0.2.1"), await status("192.0.2.2")]).toEqual([200, 429]);
});
