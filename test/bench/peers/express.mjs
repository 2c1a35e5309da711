// Express 4, express-rate-limit and hmac-auth-express. node express.mjs DATA
import express from "express";
import { rateLimit } from "express-rate-limit";
import { HMAC } from "hmac-auth-express";
import { loadEnvironments } from "./environments.mjs";

const environments = loadEnvironments(process.argv[2]);
const environmentOf = (req) => environments.get(req.get("x-api-key"));

const app = express()
  .use(
    rateLimit({
      windowMs: 60_000,
      limit: 1e9,
      standardHeaders: "draft-6",
      legacyHeaders: false,
      keyGenerator,
    }),
  )
  // Sets the body to {}, which is a part of the signature.
  .use(express.json())
  .use(HMAC((req) => environmentOf(req)?.secret))
  .get("/v1/variables-values-by-name/:name/content", (req, res) => {
    const content = environmentOf(req).contents.get(req.params.name);
    res.set("Cache-Control", "no-store");
    if (content) res.json(content);
    else res.status(404).json({ message: "Not found" });
  })
  .use((error, _req, res, _next) => {
    res
      .status(error.code === "ERR_HMAC_AUTH_INVALID" ? 401 : 500)
      .json({ message: "Not authorized" });
  });
const server = app.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);

function keyGenerator(req) {
  return req.get("x-api-key") ?? "";
}
