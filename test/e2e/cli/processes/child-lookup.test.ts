import type { LookupAddress, LookupOptions } from "node:dns";
import { describe, expect, it, onTestFinished } from "vitest";
import { childLookup } from "../../../../src/cli/processes/child-lookup.js";

type Answer = [error: unknown, addresses: string | LookupAddress[], family?: number | undefined];

function look(host: string, options: LookupOptions): Promise<Answer> {
  return new Promise((resolve) => childLookup(host, options, (...answer) => resolve(answer)));
}

describe("a lookup in a process of its own", () => {
  it("childLookup returns all addresses, as node:net requests them", async () => {
    expect(await look("127.0.0.1", { all: true })).toEqual([null, [{ address: "127.0.0.1", family: 4 }]]);
  });

  it("childLookup returns one address and its family", async () => {
    expect(await look("127.0.0.1", {})).toEqual([null, "127.0.0.1", 4]);
  });

  it("childLookup looks up in this process when no other can be started", async () => {
    const { execPath } = process;
    onTestFinished(() => void Object.assign(process, { execPath }));
    process.execPath = "/nonexistent";
    expect(await look("127.0.0.1", { all: true })).toEqual([null, [{ address: "127.0.0.1", family: 4 }]]);
  });

  it("childLookup fails as dns.lookup does, and does not read a host as a flag", async () => {
    const host = "--version";
    const [error] = await look(host, {});
    const code = expect.stringMatching(/^E(NOTFOUND|AI_)/);
    expect(error).toMatchObject({ syscall: "getaddrinfo", hostname: host, code });
  });
});
