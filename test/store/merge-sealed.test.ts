import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../src/kit/text/errors.js";
import { FileSealing } from "../../src/store/bytes/file-sealing.js";
import { type Data, NO_DATA } from "../../src/store/data.js";
import {
  addEnvironment,
  addKey,
  renameEnvironment,
  rotateEnvironment,
  rotateKey,
} from "../../src/store/edits/edit-environments.js";
import { type Assignment, renameVariable, setValues } from "../../src/store/edits/edit-values.js";
import { mergeData } from "../../src/store/edits/merge-data.js";
import { mergeFiles } from "../../src/store/file/merge-files.js";
import { KEYS, openSealed, sealedBranches, secretsOf } from "../support/branches.js";

const pair = (name: string) => ({
  api_key: `${name}-key`,
  api_secret: `${name}-secret-0123456789`,
});
const add = (data: Data, name: string) =>
  addEnvironment(data, { application: "shop", name }, pair(name));
const placeOf = (data: Data, name: string) =>
  data.environments.find((each) => each.name === name) ?? raise(name);
const set = (data: Data, name: string, more: Partial<Assignment>, place = "dev") =>
  setValues(data, placeOf(data, place), [{ name, type: "STRING", value: undefined, ...more }]);
const rename = (data: Data, name: string, newName: string) =>
  renameVariable(data, "shop", name, newName);

function raise(name: string): never {
  throw new Error(`no ${name}`);
}

const BASE = set(set(add(add(NO_DATA, "dev"), "test"), "A", { value: "a" }), "B", { value: "b" });

function files(ours: Data, theirs: Data): [Data, Data, Data] {
  return sealedBranches(BASE, ours, theirs) as [Data, Data, Data];
}

/** The merge without the key: its data, opened, and its conflicts. */
async function mergedBlind(ours: Data, theirs: Data) {
  const { data, conflicts } = await mergeFiles(...files(ours, theirs), undefined);
  return {
    data: openSealed(data),
    conflicts: conflicts.map(({ record, problem }) => `${record}: ${problem}`),
  };
}

const NEEDS_KEY = "the seal key is needed (set APPVARS_SEAL_KEY): one branch has changed ";

it("a value that is set where the variable is still secret is not published by a merge", async () => {
  const [open, changed] = [
    set(BASE, "A", { secret: false }),
    set(BASE, "A", { value: "new" }, "test"),
  ];
  const conflict = {
    record: "variable shop/A",
    problem: "secret: made public by one, a value set by the other",
  };
  for (const [one, other] of [
    [open, changed],
    [changed, open],
  ] as const) {
    expect((await mergeData(BASE, one, other)).conflicts).toEqual([conflict]);
    for (const keys of [KEYS, undefined]) {
      const { data, conflicts } = await mergeFiles(...files(one, other), keys);
      expect(conflicts).toEqual([conflict]);
      expect(openSealed(data)).toMatchObject(one);
    }
  }
});

describe("without the key, a merge of sealed files", () => {
  it("takes the values that only one side has changed, with their sealed texts", async () => {
    const [base, ours, theirs] = files(
      set(BASE, "A", { value: "1" }),
      set(BASE, "NEW", { value: "2" }, "test"),
    );
    const { data, conflicts } = await mergeFiles(base, ours, theirs, undefined);
    const texts = new Map([...secretsOf(theirs), ...secretsOf(ours)]);
    expect([conflicts, data.sealed, secretsOf(data)]).toEqual([[], true, texts]);
  });

  it("follows a rename of one side", async () => {
    const theirs = rename(
      renameEnvironment(BASE, placeOf(BASE, "test"), { application: "shop", name: "qa" }),
      "A",
      "X",
    );
    const { data, conflicts } = await mergedBlind(set(BASE, "B", { value: "1" }), theirs);
    expect(conflicts).toEqual([]);
    expect(data.variables.map(({ name }) => name)).toEqual(["X", "B"]);
    expect(data.values.map(({ content }) => content.value)).toEqual(["a", "1"]);
  });

  it("reports a value that both have changed, perhaps to the same, and keeps that of ours", async () => {
    for (const value of ["1", "2"]) {
      const { data, conflicts } = await mergedBlind(
        set(BASE, "A", { value: "1" }),
        set(BASE, "A", { value }),
      );
      expect(data).toEqual(set(BASE, "A", { value: "1" }));
      expect(conflicts).toEqual([
        "shop/A in shop/dev: value: changed by both; without the key, it is unknown whether the values are equal",
      ]);
    }
  });

  const NEW = { value: "new" };
  it.each<[what: string, one: Data, other: Data]>([
    ["a new value of a renamed variable", rename(BASE, "A", "X"), set(BASE, "A", NEW, "test")],
    [
      "a new value in a renamed environment",
      renameEnvironment(BASE, placeOf(BASE, "test"), { application: "shop", name: "qa" }),
      set(BASE, "A", NEW, "test"),
    ],
    [
      "a new value of a variable with another type",
      set(set(BASE, "A", { value: 1, type: "NUMBER" }), "B", {}),
      set(BASE, "A", NEW, "test"),
    ],
  ])("needs the key for %s", async (_what, one, other) => {
    for (const sides of [files(one, other), files(other, one)]) {
      await expect(mergeFiles(...sides, undefined)).rejects.toThrow(
        `${NEEDS_KEY}shop/A in shop/test, and the other its`,
      );
      openSealed((await mergeFiles(...sides, KEYS)).data);
    }
  });

  it("needs the key to change a value that theirs has renamed", async () => {
    const sides = files(set(BASE, "A", NEW), rename(BASE, "A", "X"));
    await expect(mergeFiles(...sides, undefined)).rejects.toThrow(
      `${NEEDS_KEY}shop/A in shop/dev, and the other its name`,
    );
    expect(openSealed((await mergeFiles(...sides, KEYS)).data)).toEqual(
      rename(set(BASE, "A", NEW), "A", "X"),
    );
  });
});

describe("without the key, of credentials and public values, a merge", () => {
  const withKey = addKey(BASE, "shop/test", { name: "ana", ...pair("ana") });
  const rotation = { now: 0, grace: 1 };
  const renamed = renameEnvironment(withKey, placeOf(withKey, "test"), {
    application: "shop",
    name: "qa",
  });
  const sealedSides = (ours: Data, theirs: Data) =>
    sealedBranches(withKey, ours, theirs) as [Data, Data, Data];

  it.each([
    ["environment shop/test", rotateEnvironment(withKey, "shop/test", pair("new"), rotation)],
    ["key ana in shop/test", rotateKey(withKey, "shop/test", "ana", pair("new"), rotation)],
    ["key bo in shop/test", addKey(withKey, "shop/test", { name: "bo", ...pair("bo") })],
  ])("needs the key if the environment was renamed by the other: %s", async (record, changed) => {
    await expect(mergeFiles(...sealedSides(changed, renamed), undefined)).rejects.toThrow(
      `${NEEDS_KEY}${record}`,
    );
    openSealed((await mergeFiles(...sealedSides(changed, renamed), KEYS)).data);
  });

  it("takes those that only one has changed", async () => {
    const ours = rotateEnvironment(withKey, "shop/test", pair("new"), rotation);
    const theirs = rotateKey(withKey, "shop/test", "ana", pair("newer"), rotation);
    const { data, conflicts } = await mergeFiles(...sealedSides(ours, theirs), undefined);
    expect(conflicts).toEqual([]);
    expect(openSealed(data).environments[1]).toMatchObject({
      ...pair("new"),
      keys: [pair("newer")],
    });
  });

  it("gives a public value another name", async () => {
    const base = set(BASE, "A", { secret: false });
    const ours = rename(base, "A", "X");
    const theirs = set(base, "A", { value: "new" }, "test");
    const sides = sealedBranches(base, ours, theirs) as [Data, Data, Data];
    const { data, conflicts } = await mergeFiles(...sides, undefined);
    expect([conflicts, openSealed(data)]).toEqual([[], rename(theirs, "A", "X")]);
  });
});

describe("where not all files are sealed, a merge", () => {
  const [ours, theirs] = [set(BASE, "A", { value: "1" }), set(BASE, "B", { value: "2" })];
  const [base, sealedOurs, sealedTheirs] = files(ours, theirs);
  const both = set(ours, "B", { value: "2" });

  it("with the key takes the sealing by both, and needs it", async () => {
    const { data, conflicts } = await mergeFiles(BASE, sealedOurs, sealedTheirs, KEYS);
    expect([conflicts, openSealed(data)]).toEqual([[], both]);
  });

  it.each<[string, Data, Data, Data, changed: string]>([
    ["theirs", BASE, sealedOurs, theirs, "shop/B in shop/dev"],
    ["ours", BASE, ours, sealedTheirs, "shop/A in shop/dev"],
    ["theirs", base, sealedOurs, theirs, "shop/B in shop/dev"],
    ["ours", base, ours, sealedTheirs, "shop/A in shop/dev"],
    [
      "theirs",
      NO_DATA,
      sealedOurs,
      theirs,
      "environment shop/dev, environment shop/test, variable shop/A, ",
    ],
    [
      "theirs",
      BASE,
      sealedOurs,
      addKey(rename(add(BASE, "new"), "A", "X"), "shop/test", { name: "ana", ...pair("ana") }),
      "key ana in shop/test, environment shop/new, variable shop/A",
    ],
  ])(
    "refuses a plain branch, %s, which anybody can have written, and names what it has changed",
    async (...row) => {
      const [side, before, own, other, changed] = row;
      await expect(mergeFiles(before, own, other, KEYS)).rejects.toThrow(
        `${side}: is not sealed, and may be from somebody without the key; it has changed ${changed}`,
      );
      await expect(mergeFiles(before, own, other, undefined)).rejects.toThrow(
        "only some are sealed",
      );
    },
  );

  it("leaves a file plain that both have unsealed", async () => {
    expect(await mergeFiles(base, ours, theirs, KEYS)).toEqual({ data: both, conflicts: [] });
  });

  it("takes an empty base for either", async () => {
    expect(openSealed((await mergeFiles(NO_DATA, sealedOurs, sealedOurs, undefined)).data)).toEqual(
      ours,
    );
    expect(await mergeFiles(NO_DATA, ours, ours, undefined)).toEqual({ data: ours, conflicts: [] });
  });
});

describe("with the key, a merge of sealed files", () => {
  const [base, ours, theirs] = files(
    set(BASE, "A", { value: "1" }),
    set(BASE, "B", { value: "2" }),
  );

  it("refuses a secret that was moved to another name, and names the branch", async () => {
    const [first, second] = theirs.values.map(({ content }) => content);
    const moved = theirs.values.map((record, index) => ({
      ...record,
      content: index === 0 ? second : first,
    }));
    await expect(
      mergeFiles(base, ours, { ...theirs, values: moved } as Data, KEYS),
    ).rejects.toThrow(
      new InvalidDataError(
        "theirs: can't be opened: A in shop/dev was changed, or moved from another name or environment",
      ),
    );
  });

  it("keeps the texts of a side that has sealed it with a new key, and seals those of the other again", async () => {
    const keys = `${"f".repeat(32)}\n${KEYS}`;
    const sealing = new FileSealing(keys, "sealed");
    const rotated = sealing.seal(sealing.open(ours));
    for (const sides of [
      [base, rotated, theirs],
      [base, theirs, rotated],
    ] as const) {
      const { data } = await mergeFiles(...sides, keys);
      const [texts, expected] = [secretsOf(data), secretsOf(rotated)];
      for (const [name, text] of texts)
        if (name !== "shop/dev B") expect([name, text]).toEqual([name, expected.get(name)]);
      // What the other branch has set is sealed with the new key, so that the old one can go.
      expect(openSealed(data, keys.slice(0, 32))).toEqual(openSealed(data, keys));
    }
  });
});
