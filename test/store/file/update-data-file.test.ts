import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import {
  chmod,
  chown,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InvalidDataError } from "../../../src/kit/text/errors.js";
import { type Data, lastId } from "../../../src/store/data.js";
import { readFileHistory } from "../../../src/store/file/file-history.js";
import { openDataFile } from "../../../src/store/file/json-file-store.js";
import { updateDataFile } from "../../../src/store/file/update-data-file.js";
import { parseData } from "../../../src/store/schema/parse-data.js";
import { DATA, sortedById } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { set } from "../../support/edits.js";
import { aRecord } from "../../support/records.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const file = async (content: unknown = DATA) => (await dataFile(content)).path;
const read = async (path: string) => parseData(await readFile(path));
const names = async (path: string) => (await readdir(dirname(path))).sort();

const add = (data: Data): Data => {
  const id = lastId(data, "variables") + 1;
  const variable = aRecord({ id, name: `ADDED_${id}` });
  return { ...data, variables: [...data.variables, variable] };
};
const added = ({ variables }: Data) =>
  variables.map(({ name }) => name).filter((name) => name.startsWith("ADDED"));

describe("updateDataFile", () => {
  it("applies the change to the current file, returns the result, and leaves nothing else behind", async () => {
    const path = await file();
    expect(added((await updateDataFile(path, add)).data)).toStrictEqual(["ADDED_9"]);
    const { data } = await updateDataFile(path, add);
    expect(added(data)).toStrictEqual(["ADDED_9", "ADDED_10"]);
    expect(await read(path)).toStrictEqual(data);
    expect(await names(path)).toStrictEqual(["vars.json", "vars.json.history.jsonl"]);
  });
});

describe("a link to a data file", () => {
  it.each([
    ["a link", ["real/data.json"]],
    ["a chain of links", ["second.json", "real/../real/third.json", "data.json"]],
  ])("stays a link, and its target is replaced: %s", async (_what, targets) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "real"));
    await writeFile(join(folder, "real", "data.json"), JSON.stringify(DATA));
    const links = ["first.json", ...targets.slice(0, -1)].map((name) => join(folder, name));
    for (const [index, link] of links.entries()) await symlink(targets[index] ?? "", link);

    await updateDataFile(links[0] ?? "", add);
    for (const [index, link] of links.entries()) expect(await readlink(link)).toBe(targets[index]);
    expect((await lstat(join(folder, "real", "data.json"))).isFile()).toBe(true);
    expect(added(await read(join(folder, "real", "data.json")))).toStrictEqual(["ADDED_9"]);
    expect(
      (await readdir(folder, { recursive: true })).filter((name) => /tmp|lock/.test(name)),
    ).toStrictEqual([]);
  });
});

/** Lets the folder of a new data file fail to be synced by its first update. */
async function failLastSync(path: string): Promise<void> {
  const folder = await open(dirname(path));
  await folder.close();
  onTestFinished(() => void vi.restoreAllMocks());
  const handles = Object.getPrototypeOf(folder);
  const { sync } = handles;
  // Those of the new history and its folder, that of the new file, and that of the folder.
  vi.spyOn(handles, "sync")
    .mockImplementationOnce(sync)
    .mockImplementationOnce(sync)
    .mockImplementationOnce(sync)
    .mockRejectedValueOnce(Object.assign(new Error(), { code: "EIO" }));
}

it("a store that can't read a change that may not be on disk has a problem", async () => {
  const path = await file();
  const check = vi.fn();
  const store = await openDataFile(path, { check });
  await failLastSync(path);
  check.mockImplementation(() => {
    throw new InvalidDataError("can't be read");
  });
  await expect(store.update(add)).rejects.toThrow("may be lost");
  expect(store.problem).toBe("the data file can't be read; the last good data is served");
});

it("a change that may not be on disk is reported as such, and is in the data", async () => {
  const path = await file();
  const store = await openDataFile(path);
  await failLastSync(path);
  const message = `${path} was written, but may be lost if the machine crashes now: input/output error`;
  await expect(store.update(add)).rejects.toThrow(new InvalidDataError(message));
  expect(added(store.data)).toStrictEqual(["ADDED_9"]);
  expect(await read(path)).toStrictEqual(sortedById(store.data));
});

describe("a change by another program during an update", () => {
  const THEIRS = JSON.stringify({
    ...DATA,
    variables: DATA.variables.map((each) => ({ ...each, description: "theirs" })),
  });
  const described = ({ variables }: Data) =>
    variables.filter(({ description }) => description === "theirs").length;
  const inPlace = (path: string) => writeFileSync(path, THEIRS);
  const replacing = (path: string) => {
    writeFileSync(`${path}.new`, THEIRS);
    renameSync(`${path}.new`, path);
  };

  it.each([
    ["it is written in place", inPlace],
    ["it is replaced", replacing],
  ])(
    "the change is made again on the new file: %s before the history is written",
    async (_how, edit) => {
      const path = await file();
      let calls = 0;
      await updateDataFile(path, (data) => {
        if (++calls === 1) edit(path);
        return add(data);
      });
      const data = await read(path);
      expect([calls, added(data), described(data)]).toEqual([
        2,
        ["ADDED_9"],
        DATA.variables.length,
      ]);
      expect(await names(path)).toStrictEqual(["vars.json", "vars.json.history.jsonl"]);
    },
  );

  it.each([
    ["it is written in place", inPlace],
    ["it is replaced", replacing],
  ])(
    "the change is made again on the new file: %s just before the update replaces it",
    async (_how, edit) => {
      const path = await file();
      await updateDataFile(path, (data) => ({ ...data }));
      await updateDataFile(path, (data) => set(data, { PORT: 1 }), {
        author: { actor: "a", command: "first" },
      });
      const afterSync = onNextSync(await open(path), 2);
      afterSync.call = () => edit(path);
      await updateDataFile(path, add, { author: { actor: "b", command: "second" } });
      const data = await read(path);
      expect([added(data), described(data)]).toEqual([["ADDED_9"], DATA.variables.length]);
      const commands: string[] = [];
      for await (const { command } of (await readFileHistory(path)).writes) commands.push(command);
      expect(commands).toEqual(["second", "changed outside", "first"]);
    },
  );

  it("an entry is not marked if another process has written to the history", async () => {
    const path = await file();
    const history = `${path}.history.jsonl`;
    // The file, the history, its folder, and the folder of the file.
    const afterSync = onNextSync(await open(path), 4);
    afterSync.call = () => appendFileSync(history, "torn");
    await updateDataFile(path, add);
    expect(await readFile(history, "utf8")).toMatch(/\}\ntorn$/);
  });

  it("the change is given up if the file changes again and again", async () => {
    const path = await file();
    let calls = 0;
    const change = (data: Data) => {
      writeFileSync(path, JSON.stringify({ ...DATA, history: { entries: 100 + ++calls } }));
      return add(data);
    };
    const message = "was not written: another program has changed it in the meantime; try again";
    await expect(updateDataFile(path, change)).rejects.toMatchObject({
      code: "invalid_data",
      message,
    });
    expect([calls, (await read(path)).history]).toEqual([10, { entries: 110 }]);
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });
});

describe("the access to a data file", () => {
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  it.each([
    ["600", "600"],
    ["640", "640"],
    ["660", "640"],
    ["644", "640"],
    ["604", "600"],
    ["620", "600"],
  ])(
    "an update of a file with mode 0%s keeps the group's right to read, and no other",
    async (mode, after) => {
      const path = await file();
      await chmod(path, mode);
      await updateDataFile(path, add);
      await updateDataFile(path, add);
      expect([await modeOf(path), await modeOf(`${path}.history.jsonl`)]).toEqual([after, "600"]);
    },
  );

  it.skipIf(process.getuid?.() !== 0)(
    "an update keeps the group of the file, and the access to its history",
    async () => {
      const path = await file();
      const history = `${path}.history.jsonl`;
      await chown(path, 0, 4321);
      await updateDataFile(path, add);
      expect([await stat(path), await stat(history)]).toMatchObject([{ gid: 4321 }, { gid: 4321 }]);
      await chown(history, 0, 1234);
      await chmod(history, 0o640);
      await writeFile(path, JSON.stringify(DATA));
      await updateDataFile(path, add);
      expect(await stat(history)).toMatchObject({ gid: 1234, mode: 0o100640 });
    },
  );

  it.each(["444", "400", "440"])(
    "a file with mode 0%s is not changed, even by root",
    async (mode) => {
      const path = await file();
      await chmod(path, mode);
      const error = new InvalidDataError(`is read-only: to allow changes, run: chmod u+w ${path}`);
      await expect(updateDataFile(path, add)).rejects.toThrow(error);
      expect([await modeOf(path), added(await read(path))]).toEqual([mode, []]);
    },
  );

  it("a history that is read-only is not changed, and neither is its file", async () => {
    const path = await file();
    await updateDataFile(path, add);
    const history = `${path}.history.jsonl`;
    await chmod(history, 0o400);
    const error = `can't be changed: ${history} is read-only: to allow changes, run: chmod u+w ${history}`;
    await expect(updateDataFile(path, add)).rejects.toThrow(new InvalidDataError(error));
    expect(added(await read(path))).toEqual(["ADDED_9"]);
  });
});

describe("an update that fails", () => {
  it.each<[string, (path: string) => Promise<void>, string]>([
    ["missing", rm, "can't be read: no such file or folder"],
    ["a folder", (path) => rm(path).then(() => mkdir(path)), "can't be read: it is a folder"],
    [
      "broken",
      (path) => writeFile(path, "{"),
      "is not valid JSON: line 1, column 2: unexpected end of file",
    ],
    ["empty", (path) => writeFile(path, ""), "is empty"],
    ["null", (path) => writeFile(path, "null"), "must contain one JSON object"],
  ])(
    "an update reports a file that is %s, and leaves it unchanged",
    async (_what, spoil, message) => {
      const path = await file();
      await spoil(path);
      const before = await names(path);
      await expect(updateDataFile(path, add)).rejects.toThrow(new InvalidDataError(message));
      expect(await names(path)).toStrictEqual(before);
    },
  );

  // The superuser may read everything.
  it.skipIf(process.getuid?.() === 0)("an update reports an unreadable file", async () => {
    const path = await file();
    await chmod(path, 0o200);
    await expect(updateDataFile(path, add)).rejects.toThrow("can't be read: permission denied");
  });
});

/** Calls `call` after so many files were synced, once. @param file any; it is closed */
function onNextSync(file: FileHandle, count: number) {
  const handles = Object.getPrototypeOf(file) as FileHandle;
  void file.close();
  const { sync } = handles;
  const then = { call: () => {} };
  let calls = 0;
  const spy = vi.spyOn(handles, "sync").mockImplementation(async function (this: FileHandle) {
    await sync.call(this);
    if (++calls === count) then.call();
  });
  onTestFinished(() => spy.mockRestore());
  return then;
}
