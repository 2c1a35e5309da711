import { describe, expect, it } from "vitest";
import { Client, type ClientOptions } from "../../src/client/client.js";
import { readAll } from "../../src/model/reads/page.js";
import { NAMED_VALUES } from "../contract/development.js";
import { DEVELOPMENT } from "../support/data.js";
import { forwardingServer } from "../support/forwarding-server.js";

const PATH = "/v1/variables-values-by-name";
const PAGES = ["/v1/variables?limit=1000&offset=0", "/v1/variables-values?limit=1000&offset=0"];

async function world({
  isOld = false,
  ...options
}: { isOld?: boolean } & Partial<ClientOptions> = {}) {
  const server = await forwardingServer({ isOld });
  return { ...server, client: new Client({ url: server.url, ...DEVELOPMENT, ...options }) };
}

describe("all values by name", () => {
  it("all values take one request", async () => {
    const { client, targets } = await world();
    expect(Object.entries(await client.values())).toEqual(Object.entries(NAMED_VALUES));
    expect(await client.values(["PORT"])).toEqual({ PORT: 3000 });
    expect(targets).toEqual([PATH, `${PATH}?names=PORT`]);
  });

  it("only valid names are sent", async () => {
    const { client, targets } = await world();
    expect(await client.values(["PORT", "a&names=DEBUG", "../..", "é"])).toEqual({ PORT: 3000 });
    expect(targets).toEqual([`${PATH}?names=PORT`]);
  });

  it.each([
    [{}, 8_192],
    [{ apiKey: undefined }, 1_024],
  ])(
    "all values are read if the names make a longer target than the server accepts: %j",
    async (options, limit) => {
      const { client, targets } = await world(options);
      const names = (length: number) => [
        "PORT",
        ...Array(Math.floor((length - `${PATH}?names=PORT`.length) / 10)).fill("ABCDEFGHI"),
      ];
      expect(await client.values(names(limit))).toEqual({ PORT: 3000 });
      expect(await client.values(names(limit + 10))).toEqual({ PORT: 3000 });
      const [some = "", all] = targets;
      expect(some.length).toBeGreaterThan(limit - 10);
      expect(some.length).toBeLessThanOrEqual(limit);
      expect(all).toBe(PATH);
    },
  );

  it("a server that does not know the read is asked for pages, and is known from then on", async () => {
    const { client, targets } = await world({ isOld: true });
    expect(Object.entries(await client.values())).toEqual(Object.entries(NAMED_VALUES));
    expect(await client.values(["EMPTY", "UNSET", "PORT"])).toEqual({ PORT: 3000, EMPTY: "" });
    expect(targets).toEqual([PATH, ...PAGES, ...PAGES]);
  });

  it("the pages for all values are those of the snapshot, which knows its revision", async () => {
    const { client, targets } = await world({ isOld: true });
    const revision = await client.readSnapshot(async (snapshot) => {
      await Promise.all([snapshot.values(), readAll((page) => snapshot.listVariables(page))]);
      return snapshot.revision;
    });
    expect(revision).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(targets.toSorted()).toEqual([PATH, ...PAGES].toSorted());
  });

  it("unchanged values are not sent again", async () => {
    const { client, statuses } = await world({ revalidate: true });
    for (let count = 0; count < 3; count++) await client.values();
    expect(statuses).toEqual([200, 304, 304]);
  });
});
