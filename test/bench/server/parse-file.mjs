// The limit for loading a data file: reads it, parses it, and prints how long that took. node
// parse-file.mjs FILE
import { readFileSync } from "node:fs";

const startedAt = performance.now();
const data = JSON.parse(readFileSync(process.argv[2], "utf8"));
const ms = performance.now() - startedAt;
console.log(
  JSON.stringify({
    ms,
    peakMegabytes: process.resourceUsage().maxRSS * 1.024e-3,
    records: data.values.length,
  }),
);
