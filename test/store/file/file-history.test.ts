import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { copyHistory, readFileHistory } from "../../../src/store/file/file-history.js";
import { updateDataFile } from "../../../src/store/file/update-data-file.js";
import type { RecordedWrite } from "../../../src/store/history.js";
import { parseData } from "../../../src/store/schema/parse-data.js";
import { DATA, edited } from "../../support/data.js";
import { type DataFile, dataFile } from "../../support/data-file.js";
import { contents, set } from "../../support/edits.js";

const EXTERNAL_COMMAND = "changed outside";
const historyOf = ({ path }: DataFile) => `${path}.history.jsonl`;
const setPort = ({ path }: DataFile, port: number) =>
  updateDataFile(path, (data) => set(data, { PORT: port }));
/** Those of the history, without marks. */
const lines = async (file: DataFile) =>
  (await readFile(historyOf(file), "utf8")).split("\n").filter(Boolean);

async function changesOf({ path }: DataFile): Promise<RecordedWrite[]> {
  const changes: RecordedWrite[] = [];
  for await (const change of (await readFileHistory(path)).writes) changes.push(change);
  return changes;
}

/** What another program does. */
const byHand = async (file: DataFile, port: number) =>
  file.write(
    edited(
      (data) => (data.values.find(({ id }: { id: number }) => id === 12).content.value = port),
    ),
  );

/** The values of PORT that the changes lead to, newest first; the command for other changes. */
async function portsOf(file: DataFile): Promise<unknown[]> {
  return (await changesOf(file)).map(({ command, changes: [first] }) => {
    const content = (first?.after as { content?: { value: unknown } } | null)?.content;
    return command === EXTERNAL_COMMAND ? [command, content?.value] : content?.value;
  });
}

const portNow = async ({ path }: DataFile) =>
  contents({ data: await parseData(await readFile(path)) })["PORT"];

it("a history has the mode of the data file, no credentials, and a baseline as its first line", async () => {
  const file = await dataFile(DATA);
  await setPort(file, 1);
  expect((await stat(historyOf(file))).mode & 0o777).toBe(0o600);
  const [baseline = ""] = await lines(file);
  expect(Object.keys(JSON.parse(baseline))).toEqual(["id", "state", "data"]);
  for (const { api_secret } of DATA.environments) expect(baseline).not.toContain(api_secret);
});

it("a history with a number that JavaScript rounds is damaged, so that no rollback writes another number", async () => {
  const file = await dataFile(DATA);
  await setPort(file, 1);
  const text = await readFile(historyOf(file), "utf8");
  await writeFile(
    historyOf(file),
    text.replace('{"value":3000}', '{"value":12345678901234567890}'),
  );
  await expect(changesOf(file)).rejects.toThrow("is damaged at byte");
});

describe("an entry that its writer was killed before it replaced the data file", () => {
  /** A write whose writer was killed then. */
  const killed = async (file: DataFile, port: number) => {
    const before = await readFile(file.path);
    await setPort(file, port);
    await truncate(historyOf(file), (await stat(historyOf(file))).size - 1);
    await writeFile(file.path, before);
  };

  it("does not count, and is removed by the next write, which gives another number", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    await killed(file, 2);
    expect(await portsOf(file)).toEqual([1]);
    await setPort(file, 3);
    expect(await portsOf(file)).toEqual([3, 1]);
    expect((await changesOf(file)).map(({ id }) => id)).toEqual([3, 1]);
    expect(await readFile(historyOf(file), "utf8")).not.toContain('"id":2,"state":"[^"]*","time"');
  });

  it("does not count even if it is the first one", async () => {
    const file = await dataFile(DATA);
    await killed(file, 1);
    expect(await portsOf(file)).toEqual([]);
    await setPort(file, 2);
    expect(await portsOf(file)).toEqual([2]);
  });

  it("does not count after another program has changed the file, and neither has its author", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    await killed(file, 2);
    await byHand(file, 3);
    expect(await portsOf(file)).toEqual([[EXTERNAL_COMMAND, 3], 1]);
    await setPort(file, 4);
    expect(await portsOf(file)).toEqual([4, [EXTERNAL_COMMAND, 3], 1]);
  });

  it("does not count after a write that changes nothing", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    await killed(file, 2);
    await updateDataFile(file.path, (data) => ({ ...data }));
    expect(await portsOf(file)).toEqual([1]);
  });

  it("counts if its writer was killed after that, before the mark, and is marked by the next write", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    await truncate(historyOf(file), (await stat(historyOf(file))).size - 1);
    expect(await portsOf(file)).toEqual([1]);
    await setPort(file, 2);
    await byHand(file, 3);
    expect(await portsOf(file)).toEqual([[EXTERNAL_COMMAND, 3], 2, 1]);
    expect(await lines(file)).toHaveLength(3);
  });

  it.each([
    '{"id":9,"sta',
    '{"id":9,"state":"',
    "\0\0\0\0",
    "\0\0\0\0\n",
    `{"id":9,"state":"${"A".repeat(22)}","chan`,
  ])("does not count if only a part of it is on disk: %j", async (part) => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    await appendFile(historyOf(file), part);
    expect(await portsOf(file)).toEqual([1]);
    await setPort(file, 2);
    expect(await portsOf(file)).toEqual([2, 1]);
    const [newest] = await changesOf(file);
    expect(newest?.id).toBe(part.includes("9") ? 10 : 2);
    for (const line of await lines(file)) expect(JSON.parse(line)).toHaveProperty("state");
  });

  it("a history without marks is read and goes on: each line but the last one counts", async () => {
    const file = await dataFile(DATA);
    for (const port of [1, 2, 3]) await setPort(file, port);
    await writeFile(historyOf(file), `${(await lines(file)).join("\n")}\n`);
    expect(await portsOf(file)).toEqual([3, 2, 1]);
    await setPort(file, 4);
    expect(await portsOf(file)).toEqual([4, 3, 2, 1]);
  });
});

it("a history that was copied to another file is kept when another program changes that file", async () => {
  const [file, copy] = [await dataFile(DATA), await dataFile(DATA)];
  for (const port of [1, 2]) await setPort(file, port);
  await copy.write(await readFile(file.path, "utf8"));
  await copyHistory(copy.path, await readFileHistory(file.path));
  await byHand(copy, 3);
  expect(await portsOf(copy)).toEqual([[EXTERNAL_COMMAND, 3], 2, 1]);
  await setPort(copy, 4);
  expect(await portsOf(copy)).toEqual([4, [EXTERNAL_COMMAND, 3], 2, 1]);
});

describe("a data file that is put back", () => {
  it("keeps the entry of what was put back, and its number", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 2);
    const two = await readFile(file.path);
    await setPort(file, 3);
    await writeFile(file.path, two);
    expect(await portsOf(file)).toEqual([[EXTERNAL_COMMAND, 2], 3, 2]);
    await setPort(file, 4);
    expect(await portsOf(file)).toEqual([4, [EXTERNAL_COMMAND, 2], 3, 2]);
    expect((await changesOf(file)).map(({ id }) => id)).toEqual([4, 3, 2, 1]);
  });

  it("has only the change of another program, after writes of several variables", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    await updateDataFile(file.path, (data) => set(data, { DATABASE_URL: "new" }));
    const data = JSON.parse(await readFile(file.path, "utf8"));
    data.values.find(({ id }: { id: number }) => id === 12).content.value = 5;
    await writeFile(file.path, JSON.stringify(data));
    const [outside] = await changesOf(file);
    expect(outside?.changes).toMatchObject([
      {
        list: "values",
        before: { id: 12, content: { value: 1 } },
        after: { id: 12, content: { value: 5 } },
      },
    ]);
  });

  it("has all changes from before, however often other programs have changed it", async () => {
    const file = await dataFile(DATA);
    const expected: unknown[] = [];
    for (let port = 1; port <= 9; port += 3) {
      await setPort(file, port);
      await byHand(file, port + 1);
      await byHand(file, port + 2);
      expected.unshift([EXTERNAL_COMMAND, port + 2], port);
      expect(await portsOf(file)).toEqual(expected);
    }
    await setPort(file, 10);
    expect(await portsOf(file)).toEqual([10, ...expected]);
    expect((await changesOf(file)).map(({ id }) => id)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });
});

describe("a data file that another program has changed", () => {
  it("has what was changed in its history, before the next write and after it", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    await byHand(file, 2);
    const [outside] = await changesOf(file);
    expect(outside).toMatchObject({ id: 2, actor: "unknown", command: EXTERNAL_COMMAND });
    expect(outside?.time).toBe((await stat(file.path)).mtime.toISOString());
    expect(await portsOf(file)).toEqual([[EXTERNAL_COMMAND, 2], 1]);
    await setPort(file, 3);
    expect(await portsOf(file)).toEqual([3, [EXTERNAL_COMMAND, 2], 1]);
    expect((await changesOf(file))[1]).toEqual(outside);
  });

  it("has no change in its history if only its form is another", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    const data = await parseData(await readFile(file.path));
    await file.write(data);
    expect(await portsOf(file)).toEqual([1]);
    await setPort(file, 2);
    expect(await portsOf(file)).toEqual([2, 1]);
    expect((await changesOf(file)).map(({ id }) => id)).toEqual([2, 1]);
  });

  it("has changed credentials in its history, without them", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    const data = await parseData(await readFile(file.path));
    const [first, ...others] = data.environments;
    await file.write({
      ...data,
      environments: [{ ...first, api_secret: "by-hand-and-secret" }, ...others],
    });
    const [outside] = await changesOf(file);
    expect(outside?.changes).toMatchObject([
      { list: "environments", before: { id: 1 }, after: { id: 1 } },
    ]);
    expect(JSON.stringify(outside)).not.toContain("by-hand-and-secret");
  });
});

describe("the bounds of a history", () => {
  const withLimit = (entries: number) => ({ ...DATA, history: { entries } });

  it.each([1, 2, 10, 25])(
    "it has no more than %i entries, and the newest ones",
    async (entries) => {
      const file = await dataFile(withLimit(entries));
      for (let port = 1; port <= 40; port++) {
        await setPort(file, port);
        const ports = await portsOf(file);
        expect(ports).toEqual(Array.from({ length: ports.length }, (_, index) => port - index));
        expect(ports.length).toBeLessThanOrEqual(entries);
        expect(ports.length).toBeGreaterThanOrEqual(
          Math.min(port, Math.floor(0.9 * entries), entries) || 1,
        );
      }
      expect((await changesOf(file))[0]?.id).toBe(40);
      expect((await parseData(await readFile(file.path))).history).toEqual({ entries });
    },
  );

  it("a data file that wants none has none, and what there was is removed", async () => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    await file.write(withLimit(0));
    await setPort(file, 2);
    await expect(lstat(historyOf(file))).rejects.toThrow("ENOENT");
    expect(await changesOf(file)).toEqual([]);
    expect(await portNow(file)).toBe(2);
  });

  it("it has 10 MB of entries at most", async () => {
    const file = await dataFile(DATA);
    const text = "x".repeat(1_048_576);
    for (let index = 0; index < 14; index++)
      await updateDataFile(file.path, (data) => set(data, { DATABASE_URL: `${text}${index}` }));
    expect((await stat(historyOf(file))).size).toBeLessThan(13 * 1_048_576);
    const changes = await changesOf(file);
    expect(changes.map(({ id }) => id)).toEqual(
      Array.from({ length: changes.length }, (_, index) => 14 - index),
    );
    expect(changes.length).toBeGreaterThan(3);
  });

  it("an entry larger than what is read at first is found", async () => {
    const file = await dataFile(DATA);
    for (const size of [10_000, 20_000, 300_000])
      await updateDataFile(file.path, (data) => set(data, { DATABASE_URL: "x".repeat(size) }));
    expect(await lines(file)).toHaveLength(4);
  });
});

describe("a history that can't be used prevents the change, and is named", () => {
  it.each<[what: string, spoil: (history: string) => Promise<void>, message: string]>([
    [
      "empty",
      (history) => truncate(history),
      "is damaged at byte 0: to begin a new history, rename it",
    ],
    [
      "overwritten",
      (history) => writeFile(history, "x\n".repeat(9)),
      "is damaged at byte 0: to begin a new history, rename it",
    ],
    [
      "a link",
      (history) => rename(history, `${history}.1`).then(() => symlink(`${history}.1`, history)),
      "is not a regular file: move it elsewhere",
    ],
    [
      "open to all",
      (history) => chmod(history, 0o666),
      "can be written by everybody: move it elsewhere",
    ],
    [
      "a folder",
      (history) => rm(history).then(() => mkdir(history)),
      "is not a regular file: move it elsewhere",
    ],
  ])("%s", async (_what, spoil, message) => {
    const file = await dataFile(DATA);
    await setPort(file, 1);
    await spoil(historyOf(file));
    const error = `can't be changed: ${historyOf(file)} ${message}`;
    await expect(setPort(file, 2)).rejects.toMatchObject({ code: "invalid_data", message: error });
    expect(await portNow(file)).toBe(1);
    await expect(changesOf(file)).rejects.toThrow(`${historyOf(file)} ${message}`);
  });

  it("damaged in the middle, which a write does not read", async () => {
    const file = await dataFile(DATA);
    for (const port of [1, 2, 3]) await setPort(file, port);
    const [baseline, , ...others] = await lines(file);
    await writeFile(historyOf(file), [baseline, '{"id":1}', ...others, ""].join("\n"));
    await setPort(file, 4);
    await expect(changesOf(file)).rejects.toThrow(
      /history\.jsonl is damaged at byte \d+: to begin/,
    );
    await file.write(DATA);
    await expect(setPort(file, 5)).rejects.toThrow(/can't be changed: .* is damaged at byte \d+/);
  });
});
