import { describe, expect, it } from "vitest";
import { createClient } from "../../src/create-client.js";
import { UnreachableError, UsageError } from "../../src/domain/errors.js";
import { httpPeer } from "./peer.js";

const ORIGIN = "http://127.0.0.1:1";

describe("createClient", () => {
  it.each([
    { timeout: 0 },
    { timeout: Number.NaN },
    { timeout: Number.POSITIVE_INFINITY },
    // A timer of more than 2^31 ms fires at once.
    { timeout: 3e6 },
    { maxWait: -1 },
    { maxWait: Number.POSITIVE_INFINITY },
    // Not to be taken for the scheme that sends the secret itself.
    { auth: "HMAC" as "hmac" },
  ])("refuses %o", (options) => {
    expect(() => createClient({ url: ORIGIN, ...options })).toThrow(UsageError);
  });

  it.each(["with\nnewline", "näme", "two, keys", "x".repeat(513)])(
    "refuses a credential that can't be sent: %j",
    (text) => {
      for (const options of [{ apiKey: text }, { apiSecret: text }]) {
        expect(() => createClient({ url: ORIGIN, ...options })).toThrow("1 to 512 visible ASCII characters");
        expect(() => createClient({ url: ORIGIN, ...options })).not.toThrow(text);
      }
    },
  );

  it("gives a client that fails for good once it is closed, also what is under way", async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let requests = 0;
    const { url } = await httpPeer(() => {
      requests++;
      arrived();
    });
    const client = createClient({ url, apiSecret: "secret" });
    const call = client.listVariables().catch((error: unknown) => error);
    await arrival;
    await client.close();
    expect(await call).toStrictEqual(new UnreachableError("the client is closed"));
    await expect(client.getHealth()).rejects.toThrow("the client is closed");
    expect(requests).toBe(1);
  });
});
