import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../../src/kit/text/errors.js";
import { NEEDS_SEAL_KEY } from "../../../src/model/seal-key.js";
import { createFileSealing } from "../../../src/store/bytes/data-text.js";
import type { SealedForm } from "../../../src/store/bytes/file-sealing.js";
import { addKey, rotateEnvironment } from "../../../src/store/edits/edit-environments.js";
import { renameVariable } from "../../../src/store/edits/edit-values.js";
import { openWithoutKeys, readDataFile } from "../../../src/store/file/data-file.js";
import { historyPathOf, readFileHistory } from "../../../src/store/file/file-history.js";
import { openDataFile } from "../../../src/store/file/json-file-store.js";
import { updateDataFile } from "../../../src/store/file/update-data-file.js";
import type { History, RecordedWrite } from "../../../src/store/history.js";
import type { ChangeData } from "../../../src/store/store.js";
import { DATA } from "../../support/data.js";
import { dataFile, SEAL_KEY } from "../../support/data-file.js";
import { set } from "../../support/edits.js";

const OTHER_KEY = "fedcba9876543210fedcba9876543210";
const same: ChangeData = (data) => data;

const sealFile = async (path: string, keys = SEAL_KEY, form: SealedForm = "sealed") =>
  updateDataFile(path, same, { sealing: await createFileSealing(keys, form) });
const change = async (path: string, edit: ChangeData, keys = SEAL_KEY) =>
  updateDataFile(path, edit, { sealing: await createFileSealing(keys) });
const open = async (path: string, keys = SEAL_KEY) =>
  readDataFile(path, { open: (await createFileSealing(keys))?.open });
const text = (path: string) => readFile(path, "utf8");

async function sealed(data: unknown = DATA): Promise<string> {
  const { path } = await dataFile(data);
  await sealFile(path);
  return path;
}

const ENVIRONMENT = "shop/development";
const PAIR = { api_key: "new-key", api_secret: "new-secret-0123456789" };

async function changesOf({ writes }: History): Promise<RecordedWrite[]> {
  const all: RecordedWrite[] = [];
  for await (const each of writes) all.push(each);
  return all;
}

/** The records, by their list and id, whose bytes differ. */
function changedRecords(before: string, after: string): string[] {
  const [old, now] = [before, after].map((content) => JSON.parse(content));
  return ["environments", "variables", "values"].flatMap((list) =>
    now[list]
      .filter((record: { id: number }) => {
        const known = old[list].find(({ id }: { id: number }) => id === record.id);
        return JSON.stringify(known) !== JSON.stringify(record);
      })
      .map(({ id }: { id: number }) => `${list} ${id}`),
  );
}

/** A sealed file whose content was changed by hand. */
async function forged(forge: (data: ReturnType<typeof JSON.parse>) => void): Promise<string> {
  const data = JSON.parse(await text(await sealed()));
  forge(data);
  return (await dataFile(data)).path;
}

describe("a sealed data file", () => {
  it("shows names and descriptions, and no secret, nor does its history", async () => {
    const path = await sealed();
    await change(path, (data) => set(data, { PORT: 4711, NEW: "n3w-s3cr3t" }));
    const content = await text(path);
    for (const { name, description } of DATA.variables)
      expect(content).toContain(`"${name}","description":"${description}"`);
    for (const { api_key } of DATA.environments) expect(content).toContain(api_key);
    const all = content + (await text(historyPathOf(path)));
    const secrets = [
      ...DATA.environments.map(({ api_secret }) => api_secret),
      "postgres:",
      "n3w-s3cr3t",
      ":4711",
    ];
    for (const secret of secrets) expect(all).not.toContain(secret);
  });

  it.each<[string, ChangeData, string[]]>([
    ["a value", (data) => set(data, { PORT: 1 }), ["values 12"]],
    ["a new variable", (data) => set(data, { NEW: "x" }), ["variables 9", "values 20"]],
    [
      "a rename",
      (data) => renameVariable(data, "shop", "PORT", "LISTEN"),
      ["variables 2", "values 12"],
    ],
    [
      "credentials",
      (data) => rotateEnvironment(data, ENVIRONMENT, PAIR, { now: 0, grace: 1 }),
      ["environments 1"],
    ],
    [
      "a named key",
      (data) => addKey(data, ENVIRONMENT, { name: "ana", ...PAIR }),
      ["environments 1"],
    ],
  ])(
    "a change of a sealed file changes only the bytes of the records concerned: %s",
    async (_what, edit, expected) => {
      const path = await sealed();
      const before = await text(path);
      const { data } = await change(path, edit);
      expect(changedRecords(before, await text(path))).toEqual(expected);
      expect(await open(path)).toStrictEqual(data);
    },
  );

  it("a variable that becomes public gets plain values, and sealed ones when it is secret again", async () => {
    const path = await sealed();
    const secret =
      (is: boolean): ChangeData =>
      (data) => ({
        ...data,
        variables: data.variables.map((each) =>
          each.name === "PORT" ? { ...each, secret: is } : each,
        ),
      });
    await change(path, secret(false));
    expect(await text(path)).toContain(
      '{"id":12,"variable_id":2,"environment_id":1,"content":{"value":3000}}',
    );
    await change(path, secret(true));
    expect(await text(path)).not.toContain(":3000");
  });

  it("the length of a sealed text does not tell true from false, nor how many digits a number has", async () => {
    const path = await sealed();
    const lengthOf = async (id: number) =>
      JSON.parse(await text(path)).values.find((record: { id: number }) => record.id === id).content
        .value.length;
    const before = await lengthOf(12);
    await change(path, (data) => set(data, { PORT: 123_456_789 }));
    expect([await lengthOf(12), await lengthOf(13)]).toEqual([before, before]);
  });

  it("a large file is opened in another thread", async () => {
    const path = await sealed({
      ...DATA,
      variables: [
        ...DATA.variables,
        { ...DATA.variables[1], id: 9, name: "LARGE", description: "x".repeat(300_000) },
      ],
    });
    const store = await openDataFile(path, { watch: true, sealKeys: SEAL_KEY });
    const reloaded = new Promise<void>((resolve) => store.onReload(() => resolve()));
    await change(path, (data) => set(data, { PORT: 4711 }));
    await reloaded;
    await store.close();
    expect(store.data.values.find(({ id }) => id === 12)?.content).toEqual({ value: 4711 });
  });
});

describe("a sealed file that was forged", () => {
  const SWAPPED = /can't be opened: .* was changed, or moved from another name or environment$/;
  it.each<[string, (data: ReturnType<typeof JSON.parse>) => void, RegExp]>([
    [
      "a value of another environment",
      ({ values }) => swap(values, 11, 19),
      /^can't be opened: DATABASE_URL in shop\/development was changed/,
    ],
    ["a value of another application", ({ values }) => swap(values, 11, 18), SWAPPED],
    ["a value of another variable", ({ values }) => swap(values, 11, 16), SWAPPED],
    ["a renamed variable", ({ variables }) => (byId(variables, 2).name = "LISTEN"), SWAPPED],
    [
      "a renamed environment",
      ({ environments }) => (byId(environments, 1).name = "staging"),
      SWAPPED,
    ],
    [
      "another key of an environment",
      ({ environments }) => (byId(environments, 1).api_key = "x"),
      /^can't be opened: the API secret of shop/,
    ],
    ["a changed byte", ({ values }) => replaceAt(values, 40, "A"), SWAPPED],
    [
      "a byte less",
      ({ values }) =>
        (byId(values, 12).content.value = byId(values, 12).content.value.slice(0, -1)),
      /can't be opened/,
    ],
    [
      "padding",
      ({ values }) => (byId(values, 12).content.value += "="),
      /not a whole sealed text$/,
    ],
    [
      "a plain value",
      ({ values }) => (byId(values, 12).content.value = "1"),
      /somebody without the key may have written it; restore it, and use appvars set$/,
    ],
    [
      "a plain API secret",
      ({ environments }) => (byId(environments, 1).api_secret = "x".repeat(20)),
      /without the key may have written/,
    ],
    [
      "a sealed value of a public variable",
      ({ variables }) => (byId(variables, 2).secret = false),
      /and no public variable$/,
    ],
    [
      "a plain file",
      (data) => delete data.sealed,
      /is sealed text, which only a sealed file may have/,
    ],
  ])("is refused: %s", async (_what, forge, message) => {
    const error = await open(await forged(forge)).then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(InvalidDataError);
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/postgres|appvars:sealed/);
  });

  it.each<[string, (key: Forged) => void]>([
    ["other variables", (key) => Object.assign(key, { only: ["*"] })],
    ["all variables", (key) => Object.assign(key, { only: undefined })],
    ["a longer time", (key) => Object.assign(key, { valid_until: "2999-01-31T12:00:00.000Z" })],
  ])("a named key can't be given %s", async (_what, forge) => {
    const path = await sealed();
    const limits = { only: [], valid_until: "2026-01-31T12:00:00.000Z" };
    await change(path, (data) => addKey(data, ENVIRONMENT, { name: "ana", ...PAIR, ...limits }));
    const data = JSON.parse(await text(path));
    forge(data.environments[0].keys[0]);
    await expect(open((await dataFile(data)).path)).rejects.toThrow(
      "the API secret of the key ana of shop/development",
    );
  });

  it("a plain file is refused where there is a key, and its change too", async () => {
    const { path } = await dataFile(DATA);
    const message =
      "is not sealed, and may be from somebody without the key; to seal it: appvars seal";
    await expect(open(path)).rejects.toThrow(message);
    await expect(change(path, (data) => set(data, { PORT: 1 }))).rejects.toThrow(message);
  });
});

describe("the keys of a sealed file", () => {
  it("a file can't be opened without its key", async () => {
    const path = await sealed();
    await expect(open(path, OTHER_KEY)).rejects.toThrow(
      "the API secret of shop/development is sealed with a key that is not among",
    );
    await expect(readDataFile(path)).rejects.toThrow(NEEDS_SEAL_KEY);
    await expect(updateDataFile(path, (data) => set(data, { PORT: 1 }))).rejects.toThrow(
      "is sealed",
    );
  });

  it("without the key, names can be read, and to read an API secret is an error", async () => {
    const data = await readDataFile(await sealed(), { open: openWithoutKeys });
    expect(data.variables).toStrictEqual((await open(await sealed())).variables);
    expect(() => data.environments[0]?.api_secret).toThrow(
      "the API secret of shop/development is sealed",
    );
    expect(data.environments.map(({ api_key }) => api_key)).toContain("dev-key");
  });

  it("the first key seals what is new, all open, and sealing again leaves the first key alone", async () => {
    const path = await sealed();
    const both = `${OTHER_KEY}\n${SEAL_KEY}`;
    const before = await text(path);
    await change(path, (data) => set(data, { PORT: 1 }), both);
    expect(changedRecords(before, await text(path))).toEqual(["values 12"]);
    await expect(open(path)).rejects.toThrow(
      "PORT in shop/development is sealed with a key that is not among",
    );
    expect((await sealFile(path, both)).written).toBeDefined();
    const data = await open(path, OTHER_KEY);
    expect(data.values.find(({ id }) => id === 12)?.content).toEqual({ value: 1 });
    const changes = await changesOf(
      await readFileHistory(path, await createFileSealing(OTHER_KEY)),
    );
    expect(changes.map(({ id }) => id)).toEqual([1]);
    expect((await sealFile(path, both)).written).toBeUndefined();
  });
});

describe("the history of a sealed file", () => {
  it("seal and unseal write the history in the same form as the file", async () => {
    const { path } = await dataFile(DATA);
    for (const port of [1, 2]) await updateDataFile(path, (data) => set(data, { PORT: port }));
    const plain = await changesOf(await readFileHistory(path));
    expect(plain).toHaveLength(2);
    await sealFile(path);
    expect(await text(historyPathOf(path))).not.toMatch(/postgres|dev-key|"PORT"/);
    expect(await changesOf(await readFileHistory(path, await createFileSealing(SEAL_KEY)))).toEqual(
      plain,
    );
    await sealFile(path, SEAL_KEY, "plain");
    expect(await changesOf(await readFileHistory(path))).toEqual(plain);
    expect(await readDataFile(path)).toStrictEqual(
      await open(await sealed()).then((data) => set(data, { PORT: 2 })),
    );
  });

  it.each<[string, (changes: string[]) => unknown[]]>([
    ["changes of another line", ([first, second]) => [second, first]],
    ["plain changes", ([first]) => [first, []]],
  ])("a history that was forged is refused: %s", async (_what, forge) => {
    const path = await sealed();
    for (const port of [1, 2]) await change(path, (data) => set(data, { PORT: port }));
    const history = historyPathOf(path);
    const lines = (await text(history)).split("\n").filter(Boolean);
    const [one, two] = lines.slice(-2).map((line) => JSON.parse(line));
    const [first, second] = forge([one.changes, two.changes]);
    const last = [
      { ...one, changes: first },
      { ...two, changes: second },
    ].map((line) => JSON.stringify(line));
    await writeFile(history, `${[...lines.slice(0, -2), ...last].join("\n")}\n`);
    const reading = async () =>
      changesOf(await readFileHistory(path, await createFileSealing(SEAL_KEY)));
    await expect(reading()).rejects.toThrow("is damaged at byte");
  });
});

type Forged = {
  id: number;
  name: string;
  api_key: string;
  api_secret: string;
  secret: boolean;
  content: { value: string };
};
type Records = Forged[];

function byId(records: Records, id: number): Records[number] {
  return records.find((record) => record.id === id) as Records[number];
}

function swap(values: Records, a: number, b: number): void {
  [byId(values, a).content, byId(values, b).content] = [
    byId(values, b).content,
    byId(values, a).content,
  ];
}

function replaceAt(values: Records, index: number, by: string): void {
  const { content } = byId(values, 12);
  const character = content.value[index] === by ? "B" : by;
  content.value = content.value.slice(0, index) + character + content.value.slice(index + 1);
}
