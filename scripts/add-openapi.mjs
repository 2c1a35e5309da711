/** Writes dist/openapi.json, the JSON of data/openapi.yaml, for `appvars openapi`. */
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";

const root = new URL("../", import.meta.url);
const document = parse(readFileSync(new URL("data/openapi.yaml", root), "utf8"));
const output = new URL("dist/openapi.json", new URL(`${process.env.BUILD_FOLDER ?? "."}/`, root));
writeFileSync(output, `${JSON.stringify(document, null, 2)}\n`);
