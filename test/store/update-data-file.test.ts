import { renameSync, writeFileSync } from "node:fs";
import { chmod, link, lstat, mkdir, open, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InvalidDataError } from "../../src/domain/errors.js";
import { type Data, nextId } from "../../src/store/data.js";
import { openDataFile } from "../../src/store/json-file-store.js";
import { parseData } from "../../src/store/parse-data.js";
import { updateDataFile } from "../../src/store/update-data-file.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { aRecord } from "../support/records.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const file = async (content: unknown = DATA) => (await dataFile(content)).path;
const read = async (path: string) => parseData(await readFile(path));
const names = async (path: string) => (await readdir(dirname(path))).sort();

const add = (data: Data): Data => {
  const id = nextId(data, "variables");
  const variable = aRecord({ id, name: `ADDED_${id}` });
  return { ...data, variables: [...data.variables, variable] };
};
const added = ({ variables }: Data) => variables.map(({ name }) => name).filter((name) => name.startsWith("ADDED"));

describe("updateDataFile", () => {
  it("updateDataFile applies the change to the current file, returns the result, and leaves nothing else behind", async () => {
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
  ])("a link to a data file stays a link, and its target is replaced: %s", async (_what, targets) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "real"));
    await writeFile(join(folder, "real", "data.json"), JSON.stringify(DATA));
    const links = ["first.json", ...targets.slice(0, -1)].map((name) => join(folder, name));
    for (const [index, link] of links.entries()) await symlink(targets[index] ?? "", link);

    await updateDataFile(links[0] ?? "", add);
    for (const [index, link] of links.entries()) expect(await readlink(link)).toBe(targets[index]);
    expect((await lstat(join(folder, "real", "data.json"))).isFile()).toBe(true);
    expect(added(await read(join(folder, "real", "data.json")))).toStrictEqual(["ADDED_9"]);
    expect((await readdir(folder, { recursive: true })).filter((name) => /tmp|lock/.test(name))).toStrictEqual([]);
  });
});

describe("a data file with a hard link", () => {
  it("a data file with a hard link can't be changed and is left unchanged", async () => {
    const path = await file();
    await link(path, `${path}.copy`);
    const message =
      "can't be changed: it has 2 hard links, and a change would reach only this one; " +
      "remove the others, or use symbolic links";
    await expect(updateDataFile(path, add)).rejects.toThrow(new InvalidDataError(message));
    for (const name of [path, `${path}.copy`]) expect(await read(name)).toStrictEqual(DATA);
    expect(await names(path)).toStrictEqual(["vars.json", "vars.json.copy"]);
  });

  it("a data file with a hard link can be changed when the link is the temporary file of a killed process", async () => {
    const path = await file();
    await link(path, join(dirname(path), ".vars.json.0123456789ab.tmp"));
    expect(added((await updateDataFile(path, add)).data)).toStrictEqual(["ADDED_9"]);
    expect(await names(path)).toStrictEqual(["vars.json", "vars.json.history.jsonl"]);
  });
});

it("a change that may not be on disk is reported as such, and is in the snapshot", async () => {
  const path = await file();
  const store = await openDataFile(path);
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
  const message = `${path} was written, but may be lost if the machine crashes now: input/output error`;
  await expect(store.update(add)).rejects.toThrow(new InvalidDataError(message));
  expect(added(store.snapshot)).toStrictEqual(["ADDED_9"]);
  expect(await read(path)).toStrictEqual(store.snapshot);
});

describe("an update that fails", () => {
  it.each<[string, (path: string) => void]>([
    ["written in place", (path) => writeFileSync(path, "theirs")],
    ["replaced", replaceByTheirs],
  ])("an update does not overwrite a change by another program: %s", async (_change, edit) => {
    const path = await file();
    const change = (data: Data) => {
      edit(path);
      return add(data);
    };
    const error = new InvalidDataError(`was not written: another program has changed it in the meantime; try again`);
    await expect(updateDataFile(path, change)).rejects.toThrow(error);
    expect(await readFile(path, "utf8")).toBe("theirs");
    expect(await names(path)).toStrictEqual(["vars.json"]);
  });

  it.each<[string, (path: string) => Promise<void>, string]>([
    ["missing", rm, "can't be read: no such file or folder"],
    ["a folder", (path) => rm(path).then(() => mkdir(path)), "can't be read: it is a folder"],
    ["broken", (path) => writeFile(path, "{"), "is not valid JSON: line 1, column 2: unexpected end of file"],
    ["empty", (path) => writeFile(path, ""), "is empty"],
    ["null", (path) => writeFile(path, "null"), "must contain one JSON object"],
  ])("an update reports a file that is %s, and leaves it unchanged", async (_what, spoil, message) => {
    const path = await file();
    await spoil(path);
    const before = await names(path);
    await expect(updateDataFile(path, add)).rejects.toThrow(new InvalidDataError(message));
    expect(await names(path)).toStrictEqual(before);
  });

  // The superuser may read everything.
  it.skipIf(process.getuid?.() === 0)("an update reports an unreadable file", async () => {
    const path = await file();
    await chmod(path, 0o200);
    await expect(updateDataFile(path, add)).rejects.toThrow("can't be read: permission denied");
  });
});

function replaceByTheirs(path: string): void {
  writeFileSync(`${path}.new`, "theirs");
  renameSync(`${path}.new`, path);
}
