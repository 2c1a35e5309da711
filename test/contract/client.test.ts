import { onTestFinished } from "vitest";
import { type ClientOptions, createClient } from "../../src/create-client.js";
import type { VariableSource } from "../../src/domain/source.js";
import { DATA, DEVELOPMENT } from "../support/data.js";
import { runningServer } from "../support/running-server.js";
import { describeVariableSource } from "./variable-source.js";

describeVariableSource("the client that signs its requests", opening({ ...DEVELOPMENT, auth: "hmac" }));
describeVariableSource("the client that sends its secret", opening({ ...DEVELOPMENT, auth: "headers" }));
describeVariableSource("the client that signs and sends no key", opening({ apiSecret: DEVELOPMENT.apiSecret }));

function opening(options: Omit<ClientOptions, "url">) {
  return async (data: unknown = DATA): Promise<VariableSource> => {
    const { url } = await runningServer({ data: data as object });
    const client = createClient({ url, maxWait: 0, ...options });
    onTestFinished(() => client.close());
    return client;
  };
}
