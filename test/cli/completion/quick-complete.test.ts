import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { quickComplete } from "../../../src/cli/completion/quick-complete.js";
import { tcpPeer } from "../../client/peer.js";
import { type CliOptions, runWith } from "../../support/cli.js";
import { CREDENTIALS, DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const NOTHING = { code: 0, stdout: "", stderr: "" };

/** The candidates after these words. */
function complete(
  kind: string,
  prefix: string,
  words: readonly string[],
  options: CliOptions = {},
) {
  return runWith((io) => quickComplete(["__complete", kind, prefix, ...words], io), options);
}

describe("it finds", () => {
  it("__complete prints the variables in a data file, of one application with --env", async () => {
    const { path } = await dataFile(DATA);
    const find = async (...words: string[]) => (await complete("names", "D", words)).stdout;
    expect(await find("get", "--data", path, "--env", "billing/development")).toBe(
      "DATABASE_URL\tLedger\n",
    );
    expect(await find("get", "--data", path)).toMatch(/^DATABASE_URL\t.*\nDEBUG\t\n$/);
  });

  it("__complete expands ~ in the path of a data file", async () => {
    const home = await temporaryFolder();
    await writeFile(join(home, "vars.json"), JSON.stringify(DATA));
    const { stdout } = await complete("file-names", "PO", ["set", "--data=~/vars.json"], {
      env: { HOME: home },
    });
    expect(stdout).toBe("PORT\tWhere it listens\n");
  });

  it("__complete prints environments, with the application where the name is ambiguous", async () => {
    const { path } = await dataFile(DATA);
    const { stdout } = await complete("environments", "", ["get"], { env: { APPVARS_DATA: path } });
    expect(stdout).toBe(
      "shop/development\tshop\ntest\tshop\nproduction\tshop\nbilling/development\tbilling\n",
    );
  });
});

describe("it finds profiles", () => {
  async function withProfiles(profiles: object): Promise<CliOptions> {
    const config = await temporaryFolder();
    await writeFile(join(config, "profiles.json"), JSON.stringify({ version: 1, profiles }));
    return { config };
  }

  it("__complete prints profiles with their URL, data file or store", async () => {
    const world = await withProfiles({
      a: { url: "http://a" },
      b: { data: "/b" },
      c: {},
      d: { store: "etcd://d" },
    });
    const stdout = "a\thttp://a\nb\t/b\nc\t\nd\tetcd://d\n";
    expect((await complete("profiles", "", [], world)).stdout).toBe(stdout);
  });

  it("__complete leaves out profiles whose names contain a line break or look like a flag", async () => {
    const world = await withProfiles({
      "a\nb": {},
      "c\td": {},
      "--e": {},
      "": {},
      "\u001b[2J": {},
      "f g": {},
    });
    expect((await complete("profiles", "", [], world)).stdout).toBe("f g\t\n");
  });

  it("__complete uses the profile that the line selects", async () => {
    const { path } = await dataFile(DATA);
    const world = await withProfiles({ shop: { data: path, env: "test" } });
    expect((await complete("names", "DATA", ["get", "--profile", "shop"], world)).stdout).toMatch(
      /^DATABASE_URL\t/,
    );
  });
});

describe("it prints nothing, and succeeds,", () => {
  it.each([
    ["without a server", ["--url", "http://127.0.0.1:1"], CREDENTIALS],
    ["without credentials", [], {}],
    ["for an invalid setting", ["--timeout", "soon"], CREDENTIALS],
    ["for an invalid URL", ["--url", "nope"], CREDENTIALS],
    ["for a missing data file", ["--data", "/nowhere/vars.json"], {}],
    ["for a missing profile", ["--profile", "nope"], CREDENTIALS],
    ["for flags without values", ["--url", "--data"], CREDENTIALS],
  ])("__complete prints nothing and exits 0 %s", async (_, words, env) => {
    for (const kind of ["names", "file-names", "environments", "profiles"]) {
      expect(await complete(kind, "", ["get", ...words], { env })).toEqual(NOTHING);
    }
  });

  it.each([
    ["a store", (port: number) => ["--store", `etcd://127.0.0.1:${port}`]],
    ["a server", (port: number) => ["--url", `http://127.0.0.1:${port}`]],
  ])("__complete prints nothing for %s, and does not connect to it", async (_what, flags) => {
    const { port, sockets } = await tcpPeer(() => {});
    for (const kind of ["names", "file-names", "environments"]) {
      const words = ["get", ...flags(port)];
      expect(await complete(kind, "", words, { env: CREDENTIALS })).toEqual(NOTHING);
      expect(await complete(kind, "", [...words, "--env", "test"], { env: CREDENTIALS })).toEqual(
        NOTHING,
      );
    }
    expect(sockets).toEqual([]);
  });

  it("__complete prints nothing for an unknown kind", async () => {
    expect(await complete("nope", "", [])).toEqual(NOTHING);
    expect(await complete("__proto__", "", [])).toEqual(NOTHING);
    expect(await runWith((io) => quickComplete(["__complete"], io))).toEqual(NOTHING);
  });

  it("__complete prints nothing with an invalid .appvars.json", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, ".appvars.json"), "{");
    expect(await complete("names", "", ["get"], { cwd, env: CREDENTIALS })).toEqual(NOTHING);
  });
});
