import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../../src/client/client.js";
import { addToBudget, createBudget, withRetries } from "../../src/client/retry.js";
import { ServerError, UnreachableError } from "../../src/kit/text/errors.js";
import { readAll } from "../../src/model/reads/page.js";
import { aVariable } from "../support/records.js";
import { httpPeer } from "./peer.js";

describe("a budget", () => {
  it("starts with the first request", async () => {
    const budget = createBudget();
    const common = { random: () => 0, sleep: async () => {}, onRetry: () => {} };
    const secondsAt = (now: number, total = 70, from = budget) =>
      withRetries(async (seconds) => seconds, { ...common, budget: from, total, ticks: () => now });
    expect(await secondsAt(123.456_789, 0.05, createBudget())).toBe(0.05);
    expect([await secondsAt(1_000), await secondsAt(61_000)]).toEqual([70, 10]);
    await expect(secondsAt(71_000)).rejects.toThrow(
      new UnreachableError("gave up after 70 s: --max-wait and one --timeout allow no more", {
        isFinal: true,
      }),
    );
  });

  it("allows 512 MiB of answers", () => {
    const budget = createBudget();
    const body = "x".repeat(64 * 1024 * 1024);
    for (let count = 0; count < 8; count++) addToBudget(budget, body);
    expect(() => addToBudget(budget, "x")).toThrow(
      new ServerError("the server sends more than 512 MiB for one command", 200),
    );
  });
});

describe("a server whose list never ends", () => {
  /**
   * A list of a million pages with one item each.
   *
   * @param step milliseconds that each takes, by the clock of the client
   * @param pages the number of pages that are sent
   */
  async function sluggish(step: number, pages: number) {
    let skipped = 0;
    const { url } = await httpPeer((req: IncomingMessage, res: ServerResponse) => {
      const offset = Number(new URL(req.url ?? "", "http://a").searchParams.get("offset"));
      if (offset >= pages) return;
      skipped += step;
      const variable = aVariable({ id: offset + 1, name: `V${offset}` });
      const page = { metadata: { limit: 1, offset, total: 1_000_000 }, data: [variable] };
      res.end(JSON.stringify(page));
    });
    return { url, ticks: () => performance.now() + skipped };
  }

  it.each([
    ["takes its time", 50, 1_000_000],
    ["takes more than is left", 400, 1],
  ])(
    "a client gives up on an endless list after maxWait and one timeout in total, if the server %s",
    async (_how, step, pages) => {
      const { url, ticks } = await sluggish(step, pages);
      const client = new Client(
        { url, apiSecret: "secret", maxWait: 0.05, timeout: 0.45 },
        { budget: createBudget(), ticks },
      );
      onTestFinished(() => client.close());
      await expect(readAll((page) => client.listVariables(page))).rejects.toThrow(
        "gave up after 0.5 s",
      );
    },
  );

  it("a client gives up on an endless list later if calls share no budget", async () => {
    const { url, ticks } = await sluggish(30, 20);
    const client = new Client({ url, apiSecret: "secret", maxWait: 0, timeout: 0.5 }, { ticks });
    onTestFinished(() => client.close());
    for (let offset = 0; offset < 20; offset++) await client.listVariables({ offset });
  });
});

describe.each([
  ["back", -3_600_000],
  ["forward", 3_600_000],
])("when the clock is set %s by an hour during retries,", (_direction, change) => {
  /**
   * A server that answers 503 twice or, if it is down, always. The second request sets the clock.
   */
  async function clientOf({ isDown }: { isDown: boolean }) {
    let [requests, setBy] = [0, 0];
    const { now } = Date;
    vi.spyOn(Date, "now").mockImplementation(() => now() + setBy);
    const { url } = await httpPeer((_req, res) => {
      requests++;
      if (requests === 2) setBy = change;
      res.writeHead(isDown || requests < 3 ? 503 : 200).end('{"value":1}');
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const client = new Client(
      { url, apiSecret: "secret", maxWait: isDown ? 0.35 : 5 },
      { random: () => 0 },
    );
    onTestFinished(() => client.close());
    return client;
  }

  it("the client still tries again when the clock is set during retries", async () => {
    expect(await (await clientOf({ isDown: false })).getContentByName("A")).toEqual({ value: 1 });
  });

  it("the client still gives up after maxWait when the clock is set during retries", async () => {
    const client = await clientOf({ isDown: true });
    await expect(client.getContentByName("A")).rejects.toThrow("status 503");
  });
});
