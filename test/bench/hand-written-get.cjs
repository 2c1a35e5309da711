// A hand-written script that fetches one value without appvars: the baseline for `get`.
const { createHmac } = require("node:crypto");
const { get } = require("node:http");

const { APPVARS_URL, APPVARS_API_KEY, APPVARS_API_SECRET } = process.env;
const path = `/v1/variables-values-by-name/${process.argv[2]}/content`;
const time = String(Date.now());
const signature = createHmac("sha256", APPVARS_API_SECRET)
  .update(`${time}GET${path}`)
  .digest("hex");
const headers = { "x-api-key": APPVARS_API_KEY, authorization: `HMAC ${time}:${signature}` };
get(new URL(path, APPVARS_URL), { headers }, (response) => {
  let body = "";
  response.setEncoding("utf8").on("data", (chunk) => (body += chunk));
  response.on("end", () => {
    if (response.statusCode !== 200) process.exit(1);
    console.log(JSON.parse(body).value);
  });
});
