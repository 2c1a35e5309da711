import { mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serializeData } from "../../../../src/store/bytes/data-text.js";
import type { Data } from "../../../../src/store/data.js";
import { addKey } from "../../../../src/store/edits/edit-environments.js";
import { sealedBranches } from "../../../support/branches.js";
import { runCli } from "../../../support/cli.js";
import { cliWithDataFile } from "../../../support/cli-with-data-file.js";
import { DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { set } from "../../../support/edits.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const cli = cliWithDataFile();

it("diff finds an environment whose name contains a colon", async () => {
  await cli.run(["env", "add", "shop/a:b"]);
  expect((await cli.run(["diff", "shop/a:b", "test"])).stdout).toBe("added\tDATABASE_URL\n");
});

it("diff marks lines with a sign and a color on a terminal", async () => {
  const { stdout } = await runCli(["diff", "test", "shop/development"], {
    env: cli.env,
    terminal: true,
  });
  expect(stdout).toContain("\u001b[32m+ PORT\u001b[39m\n");
  expect(stdout).toContain("\u001b[33m~ DATABASE_URL\u001b[39m\n");
});

it("diff reads the data file of --profile", async () => {
  const { path } = await dataFile(DATA);
  const config = join(await temporaryFolder(), "config");
  await mkdir(config);
  await writeFile(
    join(config, "profiles.json"),
    JSON.stringify({ version: 1, profiles: { local: { data: path } } }),
  );
  const { code, stdout } = await runCli(
    ["diff", "shop/development", "test", "--profile", "local"],
    { config },
  );
  expect(code).toBe(0);
  expect(stdout).toContain("removed\tPORT\n");
});

describe("diff of a data file preset, for git,", () => {
  /** The lines for data in a file of any name. */
  async function linesOf(data: Data, config?: string): Promise<string[]> {
    const path = join(await temporaryFolder(), "a1b2c3_vars.json");
    await writeFile(path, Buffer.concat([...serializeData(data)]));
    const { code, stdout, stderr } = await runCli(
      ["diff", path],
      config === undefined ? {} : { config },
    );
    expect([code, stderr]).toEqual([0, ""]);
    return stdout.trimEnd().split("\n");
  }

  const key = { name: "ana", api_key: "ana-key", api_secret: "ana-secret", only: ["DB_*"] };
  const MARK = /(?<=secret) [0-9a-f]{32}\b/;
  const ENCRYPTED = `envbee:enc:v1:${"A".repeat(64)}`;
  const encrypted = set(addKey(DATA, "shop/test", key), { EMPTY: ENCRYPTED });
  const variables = encrypted.variables.map((each) =>
    ["PORT", "FLAGS", "EMPTY"].includes(each.name) ? { ...each, secret: false } : each,
  );
  const PUBLIC: Data = { ...encrypted, variables, history: { entries: 5 } };

  it("prints a line for each record, by names, and of a secret only that it is there", async () => {
    const lines = (await linesOf(PUBLIC, await temporaryFolder())).filter(
      (line) => !line.includes("billing"),
    );
    expect(lines.map((line) => line.replace(MARK, " <mark>"))).toMatchInlineSnapshot(`
      [
        "environment shop/development {"credentials":"secret <mark>"}",
        "environment shop/production {"credentials":"secret <mark>"}",
        "environment shop/test {"credentials":"secret <mark>"}",
        "history {"entries":5}",
        "key ana in shop/test {"only":["DB_*"],"credentials":"secret <mark>"}",
        "shop/DATABASE_URL in shop/development (secret <mark>)",
        "shop/DATABASE_URL in shop/test (secret <mark>)",
        "shop/DEBUG in shop/development (secret <mark>)",
        "shop/EMPTY in shop/development (secret <mark>)",
        "shop/FLAGS in shop/development {"beta":["x",null,1.5]}",
        "shop/PORT in shop/development 3000",
        "shop/UNSET in shop/production (secret <mark>)",
        "shop/__proto__ in shop/development (secret <mark>)",
        "variable shop/DATABASE_URL {"type":"STRING","description":"Primary database"}",
        "variable shop/DEBUG {"type":"BOOLEAN","description":""}",
        "variable shop/EMPTY {"type":"STRING","description":"An empty text","secret":false}",
        "variable shop/FLAGS {"type":"JSON","description":"Feature flags","secret":false}",
        "variable shop/PORT {"type":"NUMBER","description":"Where it listens","secret":false}",
        "variable shop/UNSET {"type":"STRING","description":"Has a value in production only"}",
        "variable shop/__proto__ {"type":"STRING","description":"An ordinary name"}",
      ]
    `);
  });

  it("shows the same of a sealed file, but for the marks", async () => {
    const [sealed = DATA] = sealedBranches(PUBLIC);
    const unmarked = (lines: string[]) => lines.map((line) => line.replace(MARK, ""));
    expect(unmarked(await linesOf(sealed))).toEqual(
      [...unmarked(await linesOf(PUBLIC)), "sealed true"].sort(),
    );
  });

  it.each(["plain", "sealed"])("marks what has changed of a %s file", async (form) => {
    const changed = set(PUBLIC, { DATABASE_URL: "new", PORT: 1 });
    const [one = DATA, other = DATA] =
      form === "plain" ? [PUBLIC, changed] : sealedBranches(PUBLIC, changed);
    const config = await temporaryFolder();
    const [before, after] = [await linesOf(one, config), await linesOf(other, config)];
    const different = after.filter((line) => !before.includes(line));
    expect(different.map((line) => line.split(" in ")[0])).toEqual([
      "shop/DATABASE_URL",
      "shop/PORT",
    ]);
    expect(after).toHaveLength(before.length);
  });

  it("marks the secrets of a plain file with a key of the user, and without a folder for it not at all", async () => {
    const config = join(await temporaryFolder(), "home/appvars");
    const lines = await linesOf(PUBLIC, config);
    expect((await stat(join(config, "diff-key"))).mode & 0o777).toBe(0o600);
    expect(await linesOf(PUBLIC, config)).toEqual(lines);
    const others = await linesOf(PUBLIC, await temporaryFolder());
    const marksOf = (all: string[]) => all.flatMap((line) => MARK.exec(line) ?? []);
    expect(marksOf(others)).toHaveLength(marksOf(lines).length);
    expect(marksOf(others).filter((mark) => marksOf(lines).includes(mark))).toEqual([]);
    expect(await linesOf(PUBLIC)).toEqual(lines.map((line) => line.replace(MARK, "")));
  });

  it("marks the sealed texts of a sealed file the same for every user", async () => {
    const [sealed = DATA] = sealedBranches(PUBLIC);
    const lines = await linesOf(sealed);
    expect(lines.filter((line) => MARK.test(line)).length).toBeGreaterThan(5);
    expect(await linesOf(sealed, await temporaryFolder())).toEqual(lines);
  });

  it.each([
    ["is too short", (path: string) => writeFile(path, "abc")],
    ["is a link", (path: string) => symlink("/dev/zero", path)],
  ])("shows no marks with a key that %s", async (_, make) => {
    const config = await temporaryFolder();
    await make(join(config, "diff-key"));
    expect((await linesOf(PUBLIC, config)).filter((line) => MARK.test(line))).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")(
    "shows no marks if no folder can be made for a key",
    async () => {
      expect(await linesOf(PUBLIC, "/proc/no/such")).toEqual(await linesOf(PUBLIC));
    },
  );

  it("prints the same for records with other ids, in another order", async () => {
    const shift = <T extends { id: number }>(list: readonly T[]) =>
      list.toReversed().map((record) => ({ ...record, id: record.id + 100 }));
    const shifted = {
      ...PUBLIC,
      environments: shift(PUBLIC.environments),
      variables: shift(PUBLIC.variables),
      values: shift(PUBLIC.values).map((record) => {
        return {
          ...record,
          variable_id: record.variable_id + 100,
          environment_id: record.environment_id + 100,
        };
      }),
    };
    expect(await linesOf(shifted)).toEqual(await linesOf(PUBLIC));
  });

  it("prints nothing for an empty one, and refuses a broken one", async () => {
    const path = join(await temporaryFolder(), "vars.json");
    await writeFile(path, "");
    expect(await runCli(["diff", path])).toEqual({ code: 0, stdout: "", stderr: "" });
    await writeFile(path, "<<<<<<< ours");
    expect(await runCli(["diff", path])).toMatchObject({ code: 8, stdout: "" });
  });

  it("takes no flags for two", async () => {
    const { path } = await dataFile(DATA);
    expect(await runCli(["diff", path, "--values"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("prints its lines as JSON with --json", async () => {
    const { path } = await dataFile(DATA);
    expect(JSON.parse((await runCli(["diff", path, "--json"])).stdout)).toEqual(
      await linesOf(DATA),
    );
  });
});
