// Fastify, @fastify/rate-limit and the check of a signature. node fastify.mjs DATA
import { createHmac, timingSafeEqual } from "node:crypto";
import rateLimit from "@fastify/rate-limit";
import fastify from "fastify";
import { loadEnvironments } from "./environments.mjs";

const MD5_OF_EMPTY_OBJECT = "99914b932bd37a50b983c5e7c90ae93b";
const OLDEST_MS = 300_000;
const FRESH_MS = 60_000;

const environments = loadEnvironments(process.argv[2]);
const environmentOf = (req) => environments.get(req.headers["x-api-key"]);

const app = fastify();
await app.register(rateLimit, {
  max: 1e9,
  timeWindow: 60_000,
  enableDraftSpec: true,
  keyGenerator: (req) => req.headers["x-api-key"] ?? "",
});
app.addHook("onRequest", async (req, reply) => {
  const environment = environmentOf(req);
  if (!environment || !isSigned(req, environment.secret))
    return reply.code(401).send({ message: "Not authorized" });
});
app.get("/v1/variables-values-by-name/:name/content", async (req, reply) => {
  const content = environmentOf(req).contents.get(req.params.name);
  reply.header("cache-control", "no-store");
  return content ?? reply.code(404).send({ message: "Not found" });
});
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));

function isSigned({ method, url, headers }, secret) {
  const [, time, signature] =
    /^HMAC (\d{13}):([\da-f]{64})$/.exec(headers.authorization ?? "") ?? [];
  const age = Date.now() - Number(time);
  if (!(age <= OLDEST_MS && age >= -FRESH_MS)) return false;
  const expected = createHmac("sha256", secret).update(time + method + url + MD5_OF_EMPTY_OBJECT);
  return timingSafeEqual(expected.digest(), Buffer.from(signature, "hex"));
}
