import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  parseSettingsFile,
  readKeys,
  readSettingsFile,
  SETTINGS_OBJECT,
  type SettingsFile,
} from "../../../src/tasks/settings/settings-file.js";
import { dataFile } from "../../support/data-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const read = (object: object, kind: "project" | "profile" = "project") =>
  readKeys(kind, object as Record<string, unknown>, "in the file", "/folder").map(
    ({ name, text, from }) => [name, text, from],
  );

it("reads settings under their keys, numbers too, and says where each was given", () => {
  expect(read({ $schema: "./schema.json", url: "http://a:1", max_wait: 5, env: "" })).toEqual([
    ["url", "http://a:1", "url in the file"],
    ["maxWait", "5", "max_wait in the file"],
  ]);
});

it("a file that git has merged as text is refused with the line of the first conflict", () => {
  const file = { path: "the file", bytes: Buffer.from("{\n<<<<<<< HEAD\n") } as SettingsFile;
  expect(() => parseSettingsFile(file, SETTINGS_OBJECT)).toThrow(
    "the file is not valid JSON: line 2, column 1: a conflict marker of git",
  );
});

it("paths are relative to the settings file", () => {
  expect(read({ data: "../vars.json", ca_file: "/etc/ca.pem" })).toEqual([
    ["data", "/vars.json", "data in the file"],
    ["caFile", "/etc/ca.pem", "ca_file in the file"],
  ]);
  expect(read({ api_secret_file: "secret" }, "profile")).toEqual([
    ["apiSecretFile", "/folder/secret", "api_secret_file in the file"],
  ]);
});

it.each([
  [{ api_secret: "hunter2" }, "does not belong in a file that is shared"],
  [
    { tui: "hunter2" },
    "tui in the file: it is a personal setting; put it in your own settings.json",
  ],
  [{ enc_key: "hunter2" }, "does not belong in a file that is shared"],
  [{ auth: "headers" }, "could send the secret itself"],
  [{ api_secret_file: "hunter2" }, "use a profile, --api-secret-file or APPVARS_API_SECRET"],
  [{ enc_key_file: "hunter2" }, "use a profile, --enc-key-file or APPVARS_ENC_KEY"],
  [
    { store: "hunter2" },
    "store in the file: a project can't choose a store, which would get your password",
  ],
  [{ store_password_file: "hunter2" }, "use a profile or APPVARS_STORE_PASSWORD_FILE"],
  [
    { apiKey: "hunter2" },
    '"apiKey" in the file is not a setting; the settings are profile, url, data',
  ],
  [{ url: ["hunter2"] }, "url in the file must be a string or a number"],
  [{ constructor: "hunter2" }, '"constructor" in the file is not a setting'],
])("a project's %o is refused, without quoting a value", (object, message) => {
  expect(() => read(object)).toThrow(message);
  expect(() => read(object)).not.toThrow("hunter2");
});

it("a profile may hold a store, but not its password", () => {
  expect(
    read({ store: "etcd://a", store_user: "me", store_password_file: "x" }, "profile"),
  ).toEqual([
    ["store", "etcd://a", "store in the file"],
    ["storeUser", "me", "store_user in the file"],
    ["storePasswordFile", "/folder/x", "store_password_file in the file"],
  ]);
  expect(() => read({ store_password: "hunter2" }, "profile")).toThrow(
    '"store_password" in the file is not a setting',
  );
});

it("a profile may hold a secret and auth, but no profile", () => {
  expect(read({ api_secret: "hunter2", auth: "headers" }, "profile")).toHaveLength(2);
  expect(() => read({ profile: "other" }, "profile")).toThrow(
    '"profile" in the file is not a setting',
  );
});

it("a missing settings file is undefined, an unreadable or invalid one an error", async () => {
  const { path } = await dataFile('{"url": hunter2}');
  const parse = () => parseSettingsFile(readSettingsFile(path) as SettingsFile, SETTINGS_OBJECT);
  expect(readSettingsFile("/nowhere/file")).toBeUndefined();
  expect(parse).toThrow(`${path} is not valid JSON`);
  expect(parse).not.toThrow("hunter2");
  expect(() => readSettingsFile("/")).toThrow("/ can't be read: it is not a regular file");
});

it("an endless file is refused, not read", async () => {
  const folder = await temporaryFolder();
  const large = join(folder, "large");
  await writeFile(large, "x".repeat(1_024 * 1_024 + 1));
  expect(() => readSettingsFile(large)).toThrow(`${large} is larger than 1024 KB`);
  if (process.platform === "win32") return;
  expect(() => readSettingsFile("/dev/zero")).toThrow("it is not a regular file");
  // A regular file of size 0.
  if (process.platform === "linux")
    expect(readSettingsFile("/proc/self/status")?.bytes).toHaveLength(0);
});
