// A program of somebody who has installed the package: type-checked and run by smoke-test.sh.
import assert from "node:assert/strict";
import { type ClientOptions, createClient, type LocalServer, serve, sign, type VariableSource, verify } from "appvars";

const server: LocalServer = await serve({ data: "appvars.data.json", port: 0 });
const options: ClientOptions = { url: server.url, ...server.credentials("test") };
const client: VariableSource = createClient(options);
try {
  const { value } = await client.getContentByName("DATABASE_URL");
  assert.equal(value, "postgres://localhost/test");
} finally {
  await client.close();
  await server.close();
}

const now = 1_700_000_000_000;
const target = "/v1/variables?limit=2";
const authorization: string = sign({ timestamp: now, method: "GET", route: target }, "a secret");
assert.equal(verify({ method: "GET", target, authorization }, "a secret", { now }), true);
assert.equal(verify({ method: "GET", target, authorization }, "another", { now }), false);
