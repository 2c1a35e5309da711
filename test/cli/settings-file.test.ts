import { expect, it } from "vitest";
import { readKeys, readSettingsObject } from "../../src/cli/settings-file.js";
import { dataFile } from "../support/data-file.js";

const read = (object: object, kind: "project" | "key" = "project") =>
  [...readKeys(kind, object as Record<string, unknown>, "in the file", "/folder").values()].map(
    ({ name, text, from }) => [name, text, from],
  );

it("reads settings under their keys, numbers too, and says where each was given", () => {
  expect(read({ $schema: "./schema.json", url: "http://a:1", max_wait: 5, env: "" })).toEqual([
    ["url", "http://a:1", "url in the file"],
    ["maxWait", "5", "max_wait in the file"],
  ]);
});

it("takes paths as relative to the file", () => {
  expect(read({ data: "vars.json", ca_file: "/etc/ca.pem", api_secret_file: "../secret" })).toEqual([
    ["data", "/folder/vars.json", "data in the file"],
    ["caFile", "/etc/ca.pem", "ca_file in the file"],
    ["apiSecretFile", "/secret", "api_secret_file in the file"],
  ]);
});

it.each([
  [{ api_secret: "hunter2" }, "does not belong in a file that is shared"],
  [{ enc_key: "hunter2" }, "does not belong in a file that is shared"],
  [{ auth: "headers" }, "could send the secret itself"],
  [{ apiKey: "hunter2" }, '"apiKey" in the file is no setting; there is profile, url, api_key'],
  [{ url: ["hunter2"] }, "url in the file must be a text or a number"],
  [{ constructor: "hunter2" }, '"constructor" in the file is no setting'],
])("refuses %o, and quotes no value", (object, message) => {
  expect(() => read(object)).toThrow(message);
  expect(() => read(object)).not.toThrow("hunter2");
});

it("takes a secret and auth in a profile, and no profile in a profile", () => {
  expect(read({ api_secret: "hunter2", auth: "headers" }, "key")).toHaveLength(2);
  expect(() => read({ profile: "other" }, "key")).toThrow('"profile" in the file is no setting');
});

it("tells a file that is not there from one that can't be read", async () => {
  const { path } = await dataFile('{"url": hunter2}');
  expect(readSettingsObject("/nowhere/file")).toBeUndefined();
  expect(() => readSettingsObject(path)).toThrow(`${path} is not valid JSON`);
  expect(() => readSettingsObject("/")).toThrow("/ can't be read (EISDIR)");
  expect(() => readSettingsObject(path)).not.toThrow("hunter2");
});
