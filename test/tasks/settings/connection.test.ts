import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../src/tasks/settings/connection.js";
import { Settings, settingsFrom } from "../../../src/tasks/settings/resolve-settings.js";
import type { SettingList } from "../../../src/tasks/settings/setting-table.js";
import { readKeys } from "../../../src/tasks/settings/settings-file.js";
import { aCaller } from "../../support/caller.js";

const given = (flags: object, variables: object = {}, files: SettingList = []): SettingList => [
  ...settingsFrom("flag", { ...flags }),
  ...settingsFrom("variable", { ...variables }),
  ...files,
];

const settingsOf = (settings: SettingList) => new Settings(settings, aCaller());

const connect = (settings: SettingList) => connectionOf(settingsOf(settings));

const resolve = (flags: object, variables: object = {}) => connect(given(flags, variables));

const DEFAULTS = {
  kind: "server",
  url: "http://127.0.0.1:7400",
  from: "the default",
  apiKey: undefined,
  apiSecret: undefined,
  auth: "hmac",
  insecure: false,
  timeout: 10,
  maxWait: undefined,
  tls: { ca: undefined, cert: undefined, key: undefined },
};

describe("settings of a server", () => {
  it("a server has defaults for every setting but the credentials", () => {
    expect(resolve({})).toEqual(DEFAULTS);
  });

  it.each([
    ["url", "APPVARS_URL", "http://a:1", "http://b:2"],
    ["apiKey", "APPVARS_API_KEY", "from-flag", "from-variable"],
    ["auth", "APPVARS_AUTH", "headers", "hmac"],
  ])("%s comes from its flag, else from %s", (name, variable, flag, value) => {
    const [ofFlag, ofVariable] = name === "url" ? [{ from: "--url" }, { from: variable }] : [];
    expect(resolve({ [name]: flag }, { [variable]: value })).toEqual({
      ...DEFAULTS,
      [name]: flag,
      ...ofFlag,
    });
    expect(resolve({}, { [variable]: value })).toEqual({
      ...DEFAULTS,
      [name]: value,
      ...ofVariable,
    });
  });

  it("a client certificate and its key can come from different places, but not without each other", () => {
    const files = {
      tls: { cert: { text: "/a.pem" }, key: { text: "/b.pem", from: "APPVARS_CLIENT_KEY" } },
    };
    expect(resolve({ clientCert: "/a.pem" }, { APPVARS_CLIENT_KEY: "/b.pem" })).toMatchObject(
      files,
    );
    expect(() => resolve({ clientCert: "/a.pem" })).toThrow("--client-cert needs --client-key too");
    expect(() => resolve({}, { APPVARS_CLIENT_KEY: "/b" })).toThrow(
      "APPVARS_CLIENT_KEY needs --client-cert too",
    );
  });

  it.each([
    ["timeout", "APPVARS_TIMEOUT"],
    ["maxWait", "APPVARS_MAX_WAIT"],
  ])("%s is in seconds, from its flag, else from %s", (name, variable) => {
    expect(resolve({ [name]: "2.5" }, { [variable]: "7" })).toEqual({ ...DEFAULTS, [name]: 2.5 });
    expect(resolve({}, { [variable]: "7" })).toEqual({ ...DEFAULTS, [name]: 7 });
    expect(resolve({}, { [variable]: "7m" })).toEqual({ ...DEFAULTS, [name]: 420 });
  });

  it("an empty variable counts as unset", () => {
    expect(resolve({}, { APPVARS_URL: "", APPVARS_DATA: "", APPVARS_TIMEOUT: "" })).toEqual(
      DEFAULTS,
    );
  });

  it("a flag for the secret's file overrides the variable with the secret", () => {
    const settings = given({ apiSecretFile: "/secret" }, { APPVARS_API_SECRET: "x" });
    expect(settingsOf(settings).find("apiSecret", "apiSecretFile")).toMatchObject({
      name: "apiSecretFile",
      text: "/secret",
    });
  });

  it("there is no flag for the secret itself", () => {
    expect(resolve({ apiSecret: "x" })).toEqual(DEFAULTS);
  });
});

describe("server, data file or store", () => {
  it("a flag or variable for a data file selects it", () => {
    const local = {
      kind: "data",
      location: { kind: "file", path: "vars.json", isDefault: false },
      env: "test",
    };
    expect(resolve({ data: "vars.json", env: "test" })).toEqual(local);
    expect(resolve({}, { APPVARS_DATA: "vars.json", APPVARS_ENV: "test" })).toEqual(local);
  });

  it("a flag for a server or data file overrides a variable for the other", () => {
    expect(resolve({ url: "http://a:1" }, { APPVARS_DATA: "vars.json" })).toMatchObject({
      url: "http://a:1",
    });
    expect(resolve({ data: "vars.json" }, { APPVARS_URL: "http://a:1" })).toMatchObject({
      kind: "data",
    });
  });

  it.each([
    [{ url: "http://a:1", data: "vars.json" }, {}, "--url and --data are mutually exclusive"],
    [
      {},
      { APPVARS_URL: "http://a:1", APPVARS_DATA: "x" },
      "APPVARS_URL and APPVARS_DATA are mutually exclusive",
    ],
    [{ data: "x", store: "etcd://a" }, {}, "--data and --store are mutually exclusive"],
    [
      {},
      { APPVARS_URL: "http://a:1", APPVARS_STORE: "etcd://a" },
      "APPVARS_URL and APPVARS_STORE are mutually",
    ],
    [{ env: "test" }, {}, "add --data or --store"],
  ])("settings that exclude each other are refused: %o with %o", (flags, variables, message) => {
    expect(() => resolve(flags, variables)).toThrow(message);
  });
});

describe("a store", () => {
  const URL = "etcds://h1,h2:2380/shop";
  const location = (flags: object, variables: object = {}, files: SettingList = []) => {
    const connection = connect(given(flags, variables, files));
    return connection.kind === "data" ? connection.location : undefined;
  };

  it("a flag, variable or profile selects a store, and the strongest of them counts", () => {
    const profile = readKeys(
      "profile",
      { store: URL, seal_key_file: "keys", env: "test" },
      "of profile shop",
      "/config",
    );
    expect(connect(given({}, {}, profile))).toMatchObject({
      location: {
        kind: "etcd",
        address: { url: "etcds://h1:2379,h2:2380/shop" },
        sealKey: { text: "/config/keys" },
      },
      env: "test",
    });
    expect(location({}, { APPVARS_STORE: URL }, profile)).toMatchObject({ kind: "etcd" });
    expect(location({ store: "etcd://a" }, { APPVARS_DATA: "x" })).toMatchObject({
      address: { url: "etcd://a:2379/appvars" },
    });
    expect(location({ data: "x" }, { APPVARS_STORE: URL })).toMatchObject({
      kind: "file",
      path: "x",
    });
    expect(location({ url: "http://a:1" }, { APPVARS_STORE: URL })).toBeUndefined();
  });

  it("the settings of a store come from variables, and don't matter without one", () => {
    const variables = {
      APPVARS_SEAL_KEY_FILE: "/keys",
      APPVARS_STORE_USER: "me",
      APPVARS_STORE_PASSWORD: "hunter2",
      APPVARS_STORE_CA_FILE: "/ca.pem",
      APPVARS_STORE_CLIENT_CERT: "/cert.pem",
      APPVARS_STORE_CLIENT_KEY: "/key.pem",
    };
    expect(location({ store: URL }, variables)).toMatchObject({
      user: "me",
      password: { text: "hunter2" },
      sealKey: { text: "/keys" },
      tls: { ca: { text: "/ca.pem" }, cert: { text: "/cert.pem" }, key: { text: "/key.pem" } },
    });
    expect(location({ store: URL, sealKeyFile: "/mine" }, variables)).toMatchObject({
      sealKey: { text: "/mine" },
    });
    expect(resolve({}, variables)).toEqual(DEFAULTS);
  });

  it.each<[object, string]>([
    [{ APPVARS_STORE: "etcd://me:hunter2@a" }, "APPVARS_STORE must not contain a user or password"],
    [{ APPVARS_STORE: "http://hunter2" }, "APPVARS_STORE must be like etcd://"],
    [
      { APPVARS_STORE_USER: "me" },
      "APPVARS_STORE_USER needs APPVARS_STORE_PASSWORD or APPVARS_STORE_PASSWORD_FILE too",
    ],
    [{ APPVARS_STORE_PASSWORD: "hunter2" }, "APPVARS_STORE_PASSWORD needs APPVARS_STORE_USER too"],
    [
      {
        APPVARS_STORE_USER: "me",
        APPVARS_STORE_PASSWORD: "hunter2",
        APPVARS_STORE_PASSWORD_FILE: "/x",
      },
      "APPVARS_STORE_PASSWORD and APPVARS_STORE_PASSWORD_FILE are mutually exclusive",
    ],
    [
      { APPVARS_STORE_CLIENT_CERT: "/x" },
      "APPVARS_STORE_CLIENT_CERT needs APPVARS_STORE_CLIENT_KEY too",
    ],
    [
      { APPVARS_STORE_CLIENT_KEY: "/x" },
      "APPVARS_STORE_CLIENT_KEY needs APPVARS_STORE_CLIENT_CERT too",
    ],
    [{ APPVARS_SEAL_KEY_FILE: "-" }, "APPVARS_SEAL_KEY_FILE must be a file, not stdin"],
    [
      { APPVARS_STORE_USER: "me", APPVARS_STORE_PASSWORD_FILE: "-" },
      "APPVARS_STORE_PASSWORD_FILE must be a file",
    ],
  ])("%o is refused, without quoting a secret", (variables, message) => {
    const open = () => resolve({}, { APPVARS_STORE: URL, ...variables });
    expect(open).toThrow(message);
    expect(open).not.toThrow("hunter2");
  });
});

describe("invalid settings", () => {
  it.each([
    [{ timeout: "0" }, "--timeout must be a number of seconds"],
    [{ timeout: "1e3" }, "--timeout"],
    [{ timeout: "-1" }, "--timeout"],
    [{ timeout: "9999999999" }, "--timeout"],
    [{ maxWait: "soon" }, "--max-wait"],
    [{ auth: "basic" }, "--auth must be one of hmac, headers"],
    [{ url: "localhost:7400" }, "must look like http://127.0.0.1:7400"],
    [{ url: "http://user:hunter2@a" }, "must not contain a user or a password"],
    [{ url: "http://a/v1" }, "use http://a"],
  ])("the message for %o names the flag, and quotes no password", (flags, message) => {
    expect(() => resolve(flags)).toThrow(message);
    expect(() => resolve(flags)).not.toThrow("hunter2");
  });

  it("an empty flag is refused, since the variable in it may be unset", () => {
    expect(() => resolve({ url: "" }, { APPVARS_URL: "http://b:2" })).toThrow(
      "--url must not be empty",
    );
  });

  it("the message for an invalid URL names where it comes from", () => {
    expect(() => resolve({}, { APPVARS_URL: "http://a/v1" })).toThrow(
      "APPVARS_URL: the server's URL must have no path",
    );
  });

  it("the message for an invalid variable names it", () => {
    expect(() => resolve({}, { APPVARS_MAX_WAIT: "soon" })).toThrow("APPVARS_MAX_WAIT must be");
  });
});

describe("the secret itself over plain HTTP", () => {
  const headers = (url: string, flags: Record<string, unknown> = {}) =>
    resolve(flags, { APPVARS_URL: url, APPVARS_AUTH: "headers" });

  it.each([
    "http://127.0.0.1:1",
    "http://127.9.9.9",
    "http://localhost",
    "http://[::1]",
    "https://vars.example",
  ])("the secret itself may be sent to %s", (url) => {
    expect(headers(url)).toMatchObject({ url, auth: "headers", insecure: false });
  });

  it.each([
    "http://vars.example",
    "http://10.0.0.1",
    "http://0.0.0.0",
    "http://[::2]",
    "http://127.0.0.1.vars.example",
    "http://localhost.vars.example",
  ])("the secret itself is not sent to %s without --insecure", (url) => {
    expect(() => headers(url)).toThrow(
      /^auth headers would send the API secret to .* without encryption: use https/,
    );
    expect(headers(url, { insecure: true })).toMatchObject({ url, insecure: true });
  });

  it("no variable allows sending the secret itself, since it would apply to every server", () => {
    const flags = { url: "http://vars.example", auth: "headers" };
    expect(() => resolve(flags, { APPVARS_INSECURE: "1" })).toThrow("without encryption");
  });

  const profile = readKeys(
    "profile",
    { url: "http://vars.example", auth: "headers", insecure: true },
    "of profile cluster",
    "/config",
  );

  it("insecure in a profile applies to the server of that profile only", () => {
    expect(connect(given({}, {}, profile))).toMatchObject({ insecure: true });
    const elsewhere = given({ url: "http://elsewhere.example" }, {}, profile);
    expect(() => connect(elsewhere)).toThrow("secret to elsewhere.example");
  });

  it.each([{ insecure: "yes" }, { insecure: 1 }])(
    "insecure in a profile is true or false, not %o",
    (settings) => {
      expect(() => readKeys("profile", settings, "of profile x", "/")).toThrow(
        "insecure of profile x must be true or false",
      );
      expect(readKeys("profile", { insecure: false }, "of profile x", "/")).toEqual([]);
    },
  );

  it("insecure is refused in the file of a project", () => {
    expect(() => readKeys("project", { insecure: true }, "in .appvars.json", "/")).toThrow(
      "insecure in .appvars.json",
    );
  });
});

describe("the file of a project", () => {
  const inProject = (keys: Record<string, string>, variables: Record<string, string>) => {
    const project = readKeys("project", keys, "in .appvars.json", "/project");
    return connect(given({}, { APPVARS_API_SECRET: "hunter2", ...variables }, project));
  };

  it("can't make the client send the secret itself to its server", () => {
    const url = "http://elsewhere.example";
    expect(() => inProject({ url }, { APPVARS_AUTH: "headers" })).toThrow(
      "auth headers would send the secret itself to url in .appvars.json",
    );
    expect(inProject({ url }, {})).toMatchObject({ url, auth: "hmac" });
    expect(
      inProject({ url }, { APPVARS_AUTH: "headers", APPVARS_URL: "https://ours" }),
    ).toMatchObject({
      url: "https://ours",
    });
  });

  it("can't have its certificates trusted for another server", () => {
    const url = "https://vars.example";
    expect(() => inProject({ ca_file: "ca.pem" }, { APPVARS_URL: url })).toThrow(
      "ca_file in .appvars.json applies only to a url",
    );
    expect(inProject({ url, ca_file: "ca.pem" }, {})).toMatchObject({
      tls: { ca: { text: "/project/ca.pem" } },
    });
  });

  it("can't choose the client certificate for another server", () => {
    const url = "https://vars.example";
    const files = { client_cert: "client.pem", client_key: "key.pem" };
    expect(() => inProject(files, { APPVARS_URL: url })).toThrow(
      "client_cert in .appvars.json applies only to a url",
    );
    const used = {
      tls: { cert: { text: "/project/client.pem" }, key: { text: "/project/key.pem" } },
    };
    expect(inProject({ url, ...files }, {})).toMatchObject(used);
  });
});

describe("a profile's secret and the project's server", () => {
  const profile = readKeys(
    "profile",
    { url: "https://vars.example", api_secret: "hunter2" },
    "of profile staging",
    "/config",
  );
  const layers = (keys: Record<string, string>, flags: object = {}) =>
    given(flags, {}, [...readKeys("project", keys, "in .appvars.json", "/project"), ...profile]);

  it("a profile's secret is used for the project's server if the profile has the same url", () => {
    expect(connect(layers({ url: "https://vars.example/" }))).toMatchObject({
      url: "https://vars.example",
    });
  });

  it("a profile's secret is refused for another server of the project, unless a flag gives its url", () => {
    const elsewhere = layers({ url: "https://elsewhere.example" });
    expect(() => connect(elsewhere)).toThrow(
      "the secret belongs to a profile for https://vars.example, but url in .appvars.json is another server",
    );
    const flagged = layers(
      { url: "https://elsewhere.example" },
      { url: "https://elsewhere.example" },
    );
    expect(connect(flagged)).toMatchObject({ url: "https://elsewhere.example" });
  });
});
