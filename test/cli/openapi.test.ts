import { expect, it } from "vitest";
import { parse } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { openapiDocument } from "../../src/openapi/document.js";
import { runCli } from "../support/cli.js";

const DOCUMENT = JSON.parse(JSON.stringify(openapiDocument(packageJson.version)));

it("prints the document as JSON", async () => {
  const { code, stdout, stderr } = await runCli(["openapi"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual(DOCUMENT);
});

it("prints the same as YAML, without aliases", async () => {
  const { code, stdout } = await runCli(["openapi", "--format", "yaml"]);
  expect(code).toBe(0);
  expect(parse(stdout, { maxAliasCount: 0 })).toEqual(DOCUMENT);
});

it("has the version of the package", async () => {
  const { stdout } = await runCli(["openapi"]);
  expect(JSON.parse(stdout)).toMatchObject({ openapi: "3.1.1", info: { version: packageJson.version } });
});

it("needs no server, no data and no settings", async () => {
  const env = { APPVARS_URL: "http://127.0.0.1:1", APPVARS_DATA: "/nowhere/vars.json", APPVARS_ENV: "nowhere" };
  expect(await runCli(["openapi"], { env })).toMatchObject({ code: 0, stderr: "" });
});

it("exits with 2 for another format", async () => {
  expect(await runCli(["openapi", "--format", "xml"])).toMatchObject({ code: 2, stdout: "" });
});
