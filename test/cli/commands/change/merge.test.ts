import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serializeData } from "../../../../src/store/bytes/data-text.js";
import { renameVariable } from "../../../../src/store/edits/edit-values.js";
import { parseData } from "../../../../src/store/schema/parse-data.js";
import { KEYS, openSealed, sealedBranches } from "../../../support/branches.js";
import { runCli } from "../../../support/cli.js";
import { DATA } from "../../../support/data.js";
import { contents, set } from "../../../support/edits.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const textOf = (data: typeof DATA) => Buffer.concat([...serializeData(data)]);

/** Three files in a folder. */
async function branches(texts: Record<"base" | "ours" | "theirs", string | Buffer>) {
  const folder = await temporaryFolder();
  const path = (name: string) => join(folder, name);
  for (const [name, text] of Object.entries(texts)) await writeFile(path(name), text);
  const merge = (...more: string[]) =>
    runCli(["merge", path("base"), path("ours"), path("theirs"), ...more]);
  return { folder, merge, ours: () => readFile(path("ours")), path };
}

const BOTH = {
  base: textOf(DATA),
  ours: textOf(set(DATA, { PORT: 1 })),
  theirs: textOf(set(DATA, { PORT: 2, A: "new" })),
};

const [base = DATA, ours = DATA, theirs = DATA] = sealedBranches(
  DATA,
  set(DATA, { PORT: 1 }),
  set(DATA, { PORT: 2, A: "new" }),
);
const SEALED = { base: textOf(base), ours: textOf(ours), theirs: textOf(theirs) };

describe("merge", () => {
  it.each(["base", "ours", "theirs"])(
    "refuses a number that JavaScript rounds in %s, and names the place",
    async (side) => {
      const text = textOf(DATA).toString().replace("3000", "12345678901234567890");
      const { merge, path } = await branches({ ...BOTH, [side]: text });
      const { code, stderr } = await merge();
      expect(code).toBe(8);
      expect(stderr).toContain(`${path(side)} is not valid JSON: line `);
      expect(stderr).toContain("a number that can't be held exactly");
    },
  );

  it("replaces OURS by the merged data, readable only by its owner, without a lock or a history", async () => {
    const { folder, merge, ours, path } = await branches({
      ...BOTH,
      ours: textOf(set(DATA, { B: "ours" })),
    });
    expect(await merge()).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(contents({ data: await parseData(await ours()) })).toMatchObject({
      PORT: 2,
      A: "new",
      B: "ours",
    });
    expect((await stat(path("ours"))).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).sort()).toEqual(["base", "ours", "theirs"]);
  });

  it("exits with 1 and lists conflicts, without values, and leaves OURS valid", async () => {
    const { merge, ours } = await branches(BOTH);
    expect(await merge("config/vars.json")).toEqual({
      code: 1,
      stdout: "shop/PORT in shop/development\tvalue: changed by both\n",
      stderr:
        "appvars: config/vars.json keeps our version of the conflicting changes: set what should differ, " +
        "then run: git add config/vars.json\n",
    });
    expect(contents({ data: await parseData(await ours()) })).toMatchObject({
      PORT: 1,
      A: "new",
    });
  });

  it("prints the conflicts as JSON, also none", async () => {
    const { merge } = await branches(BOTH);
    const { code, stdout } = await merge("--json");
    const conflicts = [
      { record: "shop/PORT in shop/development", problem: "value: changed by both" },
    ];
    expect([code, JSON.parse(stdout)]).toEqual([1, { conflicts }]);
    const { merge: again } = await branches({ ...BOTH, theirs: BOTH.base });
    expect(await again("--json")).toEqual({ code: 0, stdout: '{"conflicts":[]}\n', stderr: "" });
  });

  it("merges sealed files without their key, and lists a value that both have changed", async () => {
    const { merge, ours } = await branches(SEALED);
    const { code, stdout, stderr } = await merge("vars.json");
    const problem =
      "value: changed by both; without the key, it is unknown whether the values are equal";
    expect([code, stdout]).toEqual([1, `shop/PORT in shop/development\t${problem}\n`]);
    expect(stderr).not.toContain("appvars:sealed");
    const merged = openSealed(await parseData(await ours(), (content) => content));
    expect(contents({ data: merged })).toMatchObject({ PORT: 1, A: "new" });
  });

  it("takes the key beside PATH, or beside OURS, where one branch has renamed what the other has set", async () => {
    const [base = DATA, own = DATA, other = DATA] = sealedBranches(
      DATA,
      set(DATA, { PORT: 1 }),
      renameVariable(DATA, "shop", "PORT", "LISTEN"),
    );
    const { merge, ours, path } = await branches({
      base: textOf(base),
      ours: textOf(own),
      theirs: textOf(other),
    });
    const problem =
      "one branch has changed shop/PORT in shop/development, and the other its name, type or visibility";
    expect(await merge(path("vars.json"))).toEqual({
      code: 8,
      stdout: "",
      stderr:
        `appvars: nothing was merged into ${path("vars.json")}; before you try again, run: git merge --abort\n` +
        `appvars: ${path("vars.json")} can't be merged: the seal key is needed (set APPVARS_SEAL_KEY): ${problem}\n`,
    });
    expect((await ours()).equals(textOf(own))).toBe(true);
    await writeFile(path("vars.json.key"), KEYS);
    expect(await merge(path("vars.json"))).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(
      contents({ data: openSealed(await parseData(await ours(), (content) => content)) }),
    ).toMatchObject({
      LISTEN: 1,
    });
    await writeFile(path("ours"), textOf(own));
    await writeFile(path("ours.key"), KEYS);
    expect(await merge()).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("takes an empty BASE as a file that both have added", async () => {
    const { merge, ours } = await branches({ ...BOTH, base: "", theirs: BOTH.ours });
    expect(await merge()).toMatchObject({ code: 0 });
    expect((await ours()).equals(BOTH.ours)).toBe(true);
  });

  it.each(["base", "ours", "theirs"] as const)(
    "refuses a broken file, and changes nothing: %s",
    async (side) => {
      const texts = {
        ...BOTH,
        [side]: '{"version": 1, "environments": [], "variables": [], "values": [{}]}',
      };
      const { merge, ours } = await branches(texts);
      expect(await merge("vars.json")).toEqual({
        code: 8,
        stdout: "",
        stderr: `appvars: vars.json (${side}) values[0]: id is missing\n`,
      });
      expect((await ours()).equals(Buffer.from(texts.ours))).toBe(true);
    },
  );

  it.each(["ours", "theirs"] as const)(
    "refuses an empty file, which is no data file: %s",
    async (side) => {
      const { merge, path } = await branches({ ...BOTH, [side]: "" });
      expect(await merge()).toMatchObject({ code: 8, stderr: `appvars: ${path(side)} is empty\n` });
    },
  );
});
