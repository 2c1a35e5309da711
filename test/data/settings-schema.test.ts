import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { SETTING_NAMES, SETTINGS } from "../../src/tasks/settings/setting-table.js";
import { readKeys } from "../../src/tasks/settings/settings-file.js";

const SCHEMA = JSON.parse(
  await readFile(new URL("../../data/appvars.settings.schema.json", import.meta.url), "utf8"),
);
const isValid = new Ajv2020({ allowUnionTypes: true }).compile(SCHEMA);

it("the schema of .appvars.json has the keys that it may have, and no other", () => {
  const keys = SETTING_NAMES.flatMap((name) => SETTINGS[name].project ?? []);
  expect(Object.keys(SCHEMA.properties)).toEqual(["$schema", ...keys]);
});

it.each([
  [{ $schema: "x", url: "http://a", max_wait: 5, timeout: "5" }, true],
  [{ api_secret: "x" }, false],
  [{ auth: "headers" }, false],
  [{ env: ["x"] }, false],
])("the schema and the reader agree on %o", (settings, accepted) => {
  expect(isValid(settings)).toBe(accepted);
  const read = () => readKeys("project", settings, "in the file", "/");
  if (accepted) expect(read).not.toThrow();
  else expect(read).toThrow();
});
