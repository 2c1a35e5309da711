import { describe, expect, it, onTestFinished } from "vitest";
import { encrypt } from "../../src/client/envelope.js";
import {
  type ClientOptions,
  createClient,
  DecryptionError,
  readAll,
  UsageError,
} from "../../src/index.js";
import { startServer } from "../../src/server/start-server.js";
import { Service } from "../../src/service/service.js";
import type { Store } from "../../src/store/store.js";
import { VALUES } from "../contract/development.js";
import { describeVariableSource } from "../contract/variable-source.js";
import { DEVELOPMENT, edited } from "../support/data.js";
import { forwardingServer } from "../support/forwarding-server.js";

const KEY = "a passphrase";
const [URL_ID, PORT_ID, DEBUG_ID, FLAGS_ID] = [11, 12, 13, 14];

/** The values of shop/development, encrypted; `__proto__` too. EMPTY is not. */
const SEALED = edited(({ values }) => {
  for (const { environment_id, content } of values)
    if (environment_id === 1 && content.value !== "")
      content.value = encrypt(
        typeof content.value === "string" ? content.value : JSON.stringify(content.value),
        KEY,
      );
}) as object;

const PLAIN = {
  DATABASE_URL: "postgres://localhost/dev",
  PORT: 3000,
  DEBUG: true,
  FLAGS: { beta: ["x", null, 1.5] },
  ["__proto__"]: "not a prototype",
  EMPTY: "",
};

async function open({
  isOld = false,
  data = SEALED,
  ...options
}: Partial<ClientOptions> & Served = {}) {
  const { url, targets } = await forwardingServer({ data, isOld });
  const client = createClient({ url, ...DEVELOPMENT, ...options });
  onTestFinished(() => client.close());
  return { client, targets };
}

interface Served {
  isOld?: boolean;
  data?: object;
}

describeVariableSource("the client of the library", opening({ encryptionKey: KEY }));
describeVariableSource(
  "the client of the library without a key, asking for changes",
  opening({ revalidate: true }),
);

function opening(options: Partial<ClientOptions>) {
  return async (store: Store) => {
    const { url, close } = await startServer(new Service(store, Date.now), { port: 0 }, Date.now);
    onTestFinished(close);
    const client = createClient({ url, ...DEVELOPMENT, ...options });
    onTestFinished(() => client.close());
    return client;
  };
}

describe("createClient({ encryptionKey })", () => {
  it.each([false, true])(
    "decrypts every read to the types of the variables, asking for changes: %s",
    async (revalidate) => {
      const { client } = await open({ encryptionKey: KEY, revalidate });
      // What the client keeps is read again.
      for (let times = 0; times < 2; times++) {
        expect(Object.entries(await client.values())).toEqual(Object.entries(PLAIN));
        expect(await client.values(["PORT", "NOPE"])).toEqual({ PORT: 3000 });
        expect((await client.listValues()).data).toEqual(VALUES);
        expect((await client.listValues({ limit: 1, offset: 2 })).data).toEqual([VALUES[2]]);
        expect(await client.getValue(FLAGS_ID)).toEqual(VALUES[3]);
        expect(await client.getValueByName("PORT")).toEqual(VALUES[1]);
        expect(await client.getContentByName("DEBUG")).toEqual({ value: true });
        expect(await client.answer({ kind: "content", name: "__proto__" })).toEqual({
          value: "not a prototype",
        });
        expect(await client.readSnapshot((all) => readAll((page) => all.listValues(page)))).toEqual(
          VALUES,
        );
      }
    },
  );

  it("decrypts the pages of a server that does not know the read of all values", async () => {
    const { client } = await open({ encryptionKey: KEY, isOld: true });
    expect(Object.entries(await client.values())).toEqual(Object.entries(PLAIN));
  });

  it("refuses a wrong key, by the name of the variable", async () => {
    const { client } = await open({ encryptionKey: "another" });
    const error = await client.getContentByName("PORT").catch((reason: unknown) => reason);
    expect(error).toEqual(
      new DecryptionError("PORT can't be decrypted: the key is wrong, or the value was changed"),
    );
    expect(error).toMatchObject({ code: "invalid_data" });
  });

  it("refuses a text that is not of the variable's type, without quoting it", async () => {
    const data = edited(({ values }) => {
      values[0].content.value = encrypt("hunter2", KEY);
    }) as object;
    const { client } = await open({ encryptionKey: KEY, data });
    const error = await client.getValue(PORT_ID).catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(/^PORT: a NUMBER must be a JSON number/);
    expect((error as Error).message).not.toContain("hunter2");
  });

  it("sends no other request for what is not encrypted", async () => {
    const { client, targets } = await open({
      encryptionKey: KEY,
      data: edited(() => {}) as object,
    });
    await client.getContentByName("PORT");
    await client.values();
    await client.listValues();
    await client.getValue(URL_ID);
    expect(targets).toHaveLength(4);
  });
});

describe("createClient() without an encryption key", () => {
  it("refuses each read of an encrypted value, and says what is missing", async () => {
    const { client } = await open();
    const refused = (name: string) =>
      new DecryptionError(`${name} is encrypted: pass its key to createClient as encryptionKey`);
    await expect(client.getContentByName("PORT")).rejects.toThrow(refused("PORT"));
    await expect(client.getValueByName("FLAGS")).rejects.toThrow(refused("FLAGS"));
    await expect(client.getValue(DEBUG_ID)).rejects.toThrow(refused("DEBUG"));
    await expect(client.values()).rejects.toThrow(refused("DATABASE_URL"));
    await expect(client.listValues()).rejects.toThrow(refused("DATABASE_URL"));
    await expect(client.readSnapshot((all) => all.getContentByName("PORT"))).rejects.toThrow(
      refused("PORT"),
    );
    await expect(client.answer({ kind: "value", id: PORT_ID })).rejects.toThrow(refused("PORT"));
  });

  it("reads the values that are not encrypted", async () => {
    const { client } = await open();
    expect(await client.getContentByName("EMPTY")).toEqual({ value: "" });
    expect(await client.values(["EMPTY"])).toEqual({ EMPTY: "" });
    expect((await client.listVariables()).data).toHaveLength(7);
  });
});
