// What somebody without appvars would write to fetch one value: the least that `get` can be compared with.
import { createHmac } from "node:crypto";
import { request } from "node:http";

const { APPVARS_URL, APPVARS_API_KEY, APPVARS_API_SECRET } = process.env;
const path = `/v1/variables-values-by-name/${process.argv[2]}/content`;
const time = String(Date.now());
const signature = createHmac("sha256", APPVARS_API_SECRET).update(`${time}GET${path}`).digest("hex");
const headers = { "x-api-key": APPVARS_API_KEY, authorization: `HMAC ${time}:${signature}` };
request(new URL(path, APPVARS_URL), { headers }, async (response) => {
  let body = "";
  for await (const chunk of response) body += chunk;
  if (response.statusCode !== 200) process.exit(1);
  console.log(JSON.parse(body).value);
}).end();
