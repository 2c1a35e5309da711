// A program of somebody who has installed the package: type-checked and run by smoke-test.sh.
import assert from "node:assert/strict";
import {
  type ClientOptions,
  createClient,
  type LoadEnvOptions,
  type LocalServer,
  loadEnv,
  serve,
  sign,
  type VariableSource,
  verify,
} from "appvars";

const server: LocalServer = await serve({ data: "appvars.data.json", port: 0 });
const options: ClientOptions = { url: server.url, ...server.credentials("test") };
const client: VariableSource = createClient(options);
try {
  const { value } = await client.getContentByName("DATABASE_URL");
  assert.equal(value, "postgres://localhost/test");
  const source: LoadEnvOptions = { url: server.url, ...server.credentials("test"), apply: false };
  const env = await loadEnv<{ DATABASE_URL: string }>(source);
  assert.equal(env.DATABASE_URL.slice(0, 8), "postgres");
  assert.deepEqual(await loadEnv({ ...source, only: ["DATABASE_URL"] }), { DATABASE_URL: value });
} finally {
  await client.close();
  await server.close();
}

const now = 1_700_000_000_000;
const target = "/v1/variables?limit=2";
const authorization: string = sign({ timestamp: now, method: "GET", route: target }, "a secret");
assert.equal(verify({ method: "GET", target, authorization }, "a secret", { now }), true);
assert.equal(verify({ method: "GET", target, authorization }, "another", { now }), false);
