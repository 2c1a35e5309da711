import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createContext } from "../../src/cli/output/context.js";
import { main } from "../../src/cli/start.js";
import { readSettings } from "../../src/tasks/settings/resolve-settings.js";
import { compareSources } from "../../src/tasks/sources/compare-sources.js";
import type { Decrypt } from "../../src/tasks/sources/decryption.js";
import { BINARY, run } from "../support/binary.js";
import { runCli, runWith } from "../support/cli.js";
import { CREDENTIALS } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { switchingServer } from "../support/switching-server.js";

/** Pairs of a user and a password, and more values after them; each value names its version. */
function version(text: string, { without = 0 } = {}) {
  const names = ["USER", "PASSWORD", ...Array.from({ length: 1_500 }, (_, index) => `V${index}`)];
  const ids = names.map((_, index) => index + 1).filter((id) => id !== without);
  return {
    version: 1,
    environments: [
      { id: 1, application: "shop", name: "dev", api_key: "dev-key", api_secret: "dev-secret" },
    ],
    variables: ids.map((id) => ({
      id,
      application: "shop",
      type: "STRING",
      name: names[id - 1],
      description: `of ${text}`,
    })),
    values: ids.map((id) => ({ id, variable_id: id, environment_id: 1, content: { value: text } })),
  };
}

const VERSIONS = [version("one"), version("two")];

const PRINT = "process.stdout.write([process.env.USER, process.env.PASSWORD].join())";
const SEVERAL: [name: string, argv: string[]][] = [
  ["get USER PASSWORD", ["get", "USER", "PASSWORD"]],
  ["get of a name too many", ["get", "USER", "PASSWORD", "NOPE"]],
  ["export", ["export"]],
  ["list", ["list"]],
  ["list --values", ["list", "--values"]],
  ["show", ["show", "USER", "--values"]],
  ["run", ["run", "--pristine", "--", process.execPath, "-e", PRINT]],
  [
    "run --only",
    ["run", "--pristine", "--only", "USER,PASSWORD", "--", process.execPath, "-e", PRINT],
  ],
];

/** The versions that parts of a text come from. */
function versionsIn(text: string): string[] {
  return ["one", "two"].filter((each) => text.includes(each));
}

// A server that does not know the read of all values: what one request answers can't change in
// between.
const knowsValues = false;

describe.each(SEVERAL)("%s, from a server whose data changes between its answers", (name, argv) => {
  const failing = name.includes("too many") ? 3 : 0;

  it.each([1, 2, 3])(
    `${name} prints one version of data that changes after request %i`,
    async (after) => {
      const { url } = await switchingServer(VERSIONS, {
        pick: (before) => (before < after ? 0 : 1),
        knowsValues,
      });
      const env = { APPVARS_URL: url.origin, ...CREDENTIALS };
      const { code, stdout, stderr } = await run(process.execPath, [BINARY, ...argv], env);
      expect([
        code,
        stderr.replace("appvars: trying again: the data changed while it was being read\n", ""),
      ]).toEqual([failing, failing ? 'appvars: there is no variable "NOPE"\n' : ""]);
      expect(versionsIn(stdout)).toHaveLength(failing ? 0 : 1);
    },
  );

  it(`${name} exits 7 if the data never stops changing, and prints and starts nothing`, async () => {
    const { url } = await switchingServer(VERSIONS, { pick: (before) => before % 2, knowsValues });
    const env = { APPVARS_URL: url.origin, ...CREDENTIALS, APPVARS_MAX_WAIT: "0.1" };
    const { code, stdout, stderr } = await run(process.execPath, [BINARY, "--quiet", ...argv], env);
    expect([code, stdout]).toEqual([7, ""]);
    expect(stderr).toMatch(
      /^appvars: the data changed while it was being read \(attempts: \d+\); try again later\n$/,
    );
  });
});

describe("from a server that names no revision", () => {
  it.each([
    ["export", ["export"]],
    ["list --values", ["list", "--values"]],
  ])("%s is complete after a deletion, from a server without revisions", async (_name, argv) => {
    const versions = [version("one"), version("one", { without: 3 })];
    const pick = (before: number) => (before < 1 ? 0 : 1);
    const { url } = await switchingServer(versions, { pick, namesRevision: false, knowsValues });
    const { code, stdout } = await runCli(argv, {
      env: { APPVARS_URL: url.origin, ...CREDENTIALS },
    });
    expect(code).toBe(0);
    // The first item of the former second page.
    expect(stdout).toContain("V998");
    expect(stdout).not.toMatch(/\bV0\b/);
  });
});

describe("run", () => {
  it("is of one version, with one request, even while the data changes", async () => {
    const { url, targets } = await switchingServer(VERSIONS, { pick: (before) => before % 2 });
    const env = { APPVARS_URL: url.origin, ...CREDENTIALS };
    const argv = [BINARY, "run", "--pristine", "--", process.execPath, "-e", PRINT];
    expect(await run(process.execPath, argv, env)).toMatchObject({ code: 0, stdout: "one,one" });
    expect(targets).toEqual(["/v1/variables-values-by-name"]);
  });
});

describe("get of one name", () => {
  it("sends one request, even while the data changes", async () => {
    const { url, targets } = await switchingServer(VERSIONS, { pick: (before) => before % 2 });
    const env = { APPVARS_URL: url.origin, ...CREDENTIALS };
    const result = await runWith((io) => main(["get", "USER"], io), { env });
    expect(result).toEqual({ code: 0, stdout: "one\n", stderr: "" });
    expect(targets).toHaveLength(1);
  });
});

describe("diff of a server and a data file", () => {
  it.each([1, 2, 3])(
    "diff reads one version of a server's data that changes after request %i",
    async (after) => {
      const { path } = await dataFile(version("one"));
      const { url } = await switchingServer(VERSIONS, {
        pick: (before) => (before < after ? 0 : 1),
      });
      const { code, stdout } = await runCli(["diff", url.origin, `${path}:dev`, "--values"], {
        env: CREDENTIALS,
      });
      expect(code).toBe(0);
      expect([0, 1_502]).toContain(stdout.split("\n").length - 1);
    },
  );
});

describe("diff of two environments of one data file", () => {
  /** Data with two environments that have the same values. */
  function both(text: string) {
    const { environments, values, ...data } = version(text);
    const [dev] = environments;
    const test = { ...dev, id: 2, name: "test", api_key: "test-key", api_secret: "test-secret" };
    const copies = values.map((value) => ({
      ...value,
      id: value.id + values.length,
      environment_id: 2,
    }));
    return { ...data, environments: [dev, test], values: [...values, ...copies] };
  }

  it("diff reads one version of a data file that is replaced in between", async () => {
    const { path } = await dataFile(both("one"));
    const { code: differences } = await runWith(async (io) => {
      const context = createContext(io, { color: false });
      const replace: Decrypt = (name, value) => {
        if (name === "USER") writeFileSync(path, JSON.stringify(both("two")));
        return value;
      };
      return compareSources(
        ["dev", "test"],
        readSettings({ data: path }, context),
        replace,
        context,
      );
    });
    expect(differences).toEqual([]);
  });
});
