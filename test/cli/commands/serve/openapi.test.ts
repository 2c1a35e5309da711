import { expect, it } from "vitest";
import { parse } from "yaml";
import { DOCUMENT } from "../../../openapi/document.js";
import { runCli } from "../../../support/cli.js";

it("openapi prints the document as JSON", async () => {
  const { code, stdout, stderr } = await runCli(["openapi"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual(DOCUMENT);
});

it("openapi prints the document as YAML, without anchors", async () => {
  const { code, stdout } = await runCli(["openapi", "--format", "yaml"]);
  expect(code).toBe(0);
  expect(parse(stdout, { maxAliasCount: 0 })).toEqual(DOCUMENT);
});

it("openapi needs no server, data or settings", async () => {
  const env = {
    APPVARS_URL: "http://127.0.0.1:1",
    APPVARS_DATA: "/nowhere/vars.json",
    APPVARS_ENV: "nowhere",
  };
  expect(await runCli(["openapi"], { env })).toMatchObject({ code: 0, stderr: "" });
});
