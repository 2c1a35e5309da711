import { onTestFinished } from "vitest";
import { Client, type ClientOptions } from "../../src/client/client.js";
import type { VariableSource } from "../../src/model/reads/read.js";
import { startServer } from "../../src/server/start-server.js";
import { Service } from "../../src/service/service.js";
import type { Store } from "../../src/store/store.js";
import { DEVELOPMENT } from "../support/data.js";
import { describeVariableSource } from "./variable-source.js";

describeVariableSource(
  "the client that signs and sends no key",
  opening({ apiSecret: DEVELOPMENT.apiSecret }),
);
describeVariableSource(
  "the client that sends its secret, and asks for changes",
  opening({ ...DEVELOPMENT, auth: "headers", revalidate: true }),
);

function opening(options: Omit<ClientOptions, "url">) {
  return async (store: Store): Promise<VariableSource> => {
    const { url, close } = await startServer(new Service(store, Date.now), { port: 0 }, Date.now);
    onTestFinished(close);
    const client = new Client({ url, ...options });
    onTestFinished(() => client.close());
    return client;
  };
}
