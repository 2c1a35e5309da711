import { describe, expect, it } from "vitest";
import { findSetting, readLayer } from "../../src/cli/settings.js";
import { readKeys } from "../../src/cli/settings-file.js";
import { resolveSettings } from "../../src/cli/source-settings.js";

const resolve = (flags: Record<string, string>, variables: Record<string, string> = {}) =>
  resolveSettings([readLayer("flag", flags), readLayer("variable", variables)]);

const DEFAULTS = {
  kind: "remote",
  url: "http://127.0.0.1:7400",
  apiKey: undefined,
  apiSecret: undefined,
  auth: "hmac",
  timeout: 10,
  maxWait: 60,
  caFile: undefined,
};

describe("what is read from where", () => {
  it("has defaults for everything but the credentials", () => {
    expect(resolve({})).toEqual(DEFAULTS);
  });

  it.each([
    ["url", "APPVARS_URL", "http://a:1", "http://b:2"],
    ["apiKey", "APPVARS_API_KEY", "from-flag", "from-variable"],
    ["auth", "APPVARS_AUTH", "headers", "hmac"],
    ["caFile", "APPVARS_CA_FILE", "/flag.pem", "/variable.pem"],
  ])("takes %s from its flag before %s", (name, variable, flag, value) => {
    expect(resolve({ [name]: flag }, { [variable]: value })).toEqual({ ...DEFAULTS, [name]: flag });
    expect(resolve({}, { [variable]: value })).toEqual({ ...DEFAULTS, [name]: value });
  });

  it.each([
    ["timeout", "APPVARS_TIMEOUT"],
    ["maxWait", "APPVARS_MAX_WAIT"],
  ])("takes %s in seconds", (name, variable) => {
    expect(resolve({ [name]: "2.5" }, { [variable]: "7" })).toEqual({ ...DEFAULTS, [name]: 2.5 });
    expect(resolve({}, { [variable]: "7" })).toEqual({ ...DEFAULTS, [name]: 7 });
  });

  it("counts an empty variable as unset", () => {
    expect(resolve({}, { APPVARS_URL: "", APPVARS_DATA: "", APPVARS_TIMEOUT: "" })).toEqual(DEFAULTS);
  });

  it("takes the secret's file from a flag before the secret from the environment", () => {
    const layers = [
      readLayer("flag", { apiSecretFile: "/secret" }),
      readLayer("variable", { APPVARS_API_SECRET: "x" }),
    ];
    expect(findSetting(layers, "apiSecret", "apiSecretFile")).toMatchObject({ name: "apiSecretFile", text: "/secret" });
  });

  it("knows no flag for the secret itself", () => {
    expect(resolve({ apiSecret: "x" })).toEqual(DEFAULTS);
  });
});

describe("server or data file", () => {
  it("reads the file when a flag or the environment names one", () => {
    const local = { kind: "local", data: "vars.json", env: "test" };
    expect(resolve({ data: "vars.json", env: "test" })).toEqual(local);
    expect(resolve({}, { APPVARS_DATA: "vars.json", APPVARS_ENV: "test" })).toEqual(local);
  });

  it("lets a flag for the one beat a variable for the other", () => {
    expect(resolve({ url: "http://a:1" }, { APPVARS_DATA: "vars.json" })).toMatchObject({ url: "http://a:1" });
    expect(resolve({ data: "vars.json" }, { APPVARS_URL: "http://a:1" })).toMatchObject({ data: "vars.json" });
  });

  it.each([
    [{ url: "http://a:1", data: "vars.json" }, {}, "--url and --data exclude each other"],
    [{}, { APPVARS_URL: "http://a:1", APPVARS_DATA: "x" }, "APPVARS_URL and APPVARS_DATA exclude each other"],
    [{ env: "test" }, {}, "add --data"],
  ])("refuses %o with %o", (flags, variables, message) => {
    expect(() => resolve(flags as Record<string, string>, variables as Record<string, string>)).toThrow(message);
  });
});

describe("settings out of their bounds", () => {
  it.each([
    [{ timeout: "0" }, "--timeout must be a number of seconds"],
    [{ timeout: "1e3" }, "--timeout"],
    [{ timeout: "-1" }, "--timeout"],
    [{ timeout: "9999999999" }, "--timeout"],
    [{ maxWait: "soon" }, "--max-wait"],
    [{ auth: "basic" }, "--auth must be one of hmac, headers"],
    [{ url: "localhost:7400" }, "must look like http://127.0.0.1:7400"],
    [{ url: "http://user:hunter2@a" }, "must not hold a user or a password"],
    [{ url: "http://a/v1" }, "use http://a"],
  ])("refuses %o and names the flag", (flags, message) => {
    expect(() => resolve(flags as Record<string, string>)).toThrow(message);
    expect(() => resolve(flags as Record<string, string>)).not.toThrow("hunter2");
  });

  it("takes no empty flag: the variable behind it is not set", () => {
    expect(() => resolve({ url: "" }, { APPVARS_URL: "http://b:2" })).toThrow("--url must not be empty");
  });

  it("names what gave a URL", () => {
    expect(() => resolve({}, { APPVARS_URL: "http://a/v1" })).toThrow(
      "APPVARS_URL: the server's URL must have no path",
    );
  });

  it("names the variable when it came from one", () => {
    expect(() => resolve({}, { APPVARS_MAX_WAIT: "soon" })).toThrow("APPVARS_MAX_WAIT must be");
  });
});

describe("what the files of a project can't do", () => {
  const inProject = (project: Record<string, string>, variables: Record<string, string>) =>
    resolveSettings([
      readLayer("flag", {}),
      readLayer("variable", { APPVARS_API_SECRET: "hunter2", ...variables }),
      readKeys("project", project, "in .appvars.json", "/project"),
    ]);

  it("have the secret itself sent to the server that they name", () => {
    const url = "http://elsewhere.example";
    expect(() => inProject({ url }, { APPVARS_AUTH: "headers" })).toThrow(
      "auth headers would send the secret itself to url in .appvars.json",
    );
    expect(inProject({ url }, {})).toMatchObject({ url, auth: "hmac" });
    expect(inProject({ url }, { APPVARS_AUTH: "headers", APPVARS_URL: "http://ours" })).toMatchObject({
      url: "http://ours",
    });
  });

  it("have their certificates trusted for another server", () => {
    const url = "https://vars.example";
    expect(() => inProject({ ca_file: "ca.pem" }, { APPVARS_URL: url })).toThrow(
      "ca_file in .appvars.json is for a url",
    );
    expect(inProject({ url, ca_file: "ca.pem" }, {})).toMatchObject({ caFile: "/project/ca.pem" });
  });
});

describe("a profile's secret and the project's server", () => {
  const layers = (project: Record<string, string>, flags: Record<string, string> = {}) => [
    readLayer("flag", flags),
    readLayer("variable", {}),
    readKeys("project", project, "in .appvars.json", "/project"),
    readKeys("key", { url: "https://vars.example", api_secret: "hunter2" }, "of profile staging", "/config"),
  ];

  it("go together when the profile is for that server", () => {
    expect(resolveSettings(layers({ url: "https://vars.example/" }))).toMatchObject({ url: "https://vars.example" });
  });

  it("do not when it is another, unless a flag says so", () => {
    const elsewhere = layers({ url: "https://elsewhere.example" });
    expect(() => resolveSettings(elsewhere)).toThrow(
      "the secret is of a profile for https://vars.example, but url in .appvars.json is another server",
    );
    const flagged = layers({ url: "https://elsewhere.example" }, { url: "https://elsewhere.example" });
    expect(resolveSettings(flagged)).toMatchObject({ url: "https://elsewhere.example" });
  });
});
