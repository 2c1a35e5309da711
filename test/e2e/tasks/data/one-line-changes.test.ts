import { execFileSync } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDataFile } from "../../../../src/store/file/json-file-store.js";
import { BINARY, run as runBinary } from "../../../support/binary.js";
import { runCli } from "../../../support/cli.js";
import { set } from "../../../support/edits.js";
import { sharedEtcd } from "../../../support/etcd.js";
import { needs } from "../../../support/needed-program.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

/** The number of lines that were added and removed, by a real diff. */
function changedLines(before: string, after: string): number[] {
  const args = ["diff", "--no-index", "--numstat", before, after];
  try {
    return [execFileSync("git", args).length];
  } catch (error) {
    // It exits with 1 if there is a difference.
    const [added, removed] = String((error as { stdout: Buffer }).stdout).split("\t");
    return [Number(added), Number(removed)];
  }
}

/** A data file with the examples of `init`. */
async function exampleFile() {
  const folder = await temporaryFolder();
  const path = join(folder, "vars.json");
  const run = async (command: string) => {
    const result = await runCli([...command.split(" "), "--data", path], { cwd: folder });
    expect(result).toMatchObject({ code: 0 });
  };
  await run("init --example --bare");
  return { folder, path, run };
}

type Example = Awaited<ReturnType<typeof exampleFile>>;

const WRITERS: [name: string, write: (file: Example) => Promise<unknown>][] = [
  ["init --example", async () => {}],
  ["set", ({ run }) => run("set PORT 1 --env test")],
  ["set of a new variable", ({ run }) => run("set NEW 1 --env test --optional --public")],
  ["unset", ({ run }) => run("unset DEBUG --all-envs")],
  ["env add", ({ run }) => run("env add staging --from production")],
  ["env rename", ({ run }) => run("env rename test qa")],
  ["env rotate", ({ run }) => run("env rotate test --grace 1h")],
  ["env key add", ({ run }) => run("env key add test --name ana --only DB_*,PORT --expires 90d")],
  [
    "env key rotate",
    async ({ run }) => {
      await run("env key add test --name ana");
      await run("env key rotate test ana --grace 1h");
    },
  ],
  [
    "env key remove",
    async ({ run }) => {
      await run("env key add test --name ana");
      await run("env key remove test ana");
    },
  ],
  [
    "an edit of the history's length, and set",
    async ({ path, run }) => {
      const text = await readFile(path, "utf8");
      await writeFile(
        path,
        text.replace('"version": 1,', '"version": 1,\n  "history": { "entries": 5 },'),
      );
      await run("set PORT 1 --env test");
    },
  ],
  [
    "merge",
    async ({ folder, path, run }) => {
      const [base, theirs] = [join(folder, "base.json"), join(folder, "theirs.json")];
      await copyFile(path, base);
      await run("set NEW 1 --env test");
      await copyFile(path, theirs);
      await copyFile(base, path);
      await run("rename DEBUG VERBOSE");
      expect(await runCli(["merge", base, path, theirs])).toMatchObject({ code: 0 });
    },
  ],
  ["env remove", ({ run }) => run("env remove production --yes")],
  ["rename", ({ run }) => run("rename DATABASE_URL DB_URL")],
  [
    "import",
    async ({ folder, run }) => {
      await writeFile(join(folder, "some.env"), "B=1\nA=2\n");
      await run(`import ${join(folder, "some.env")} --env production`);
    },
  ],
  [
    "rollback",
    async ({ run }) => {
      await run("unset FLAGS --all-envs");
      await run("set LATER 1 --env test");
      await run("rollback 1 --yes --only FLAGS");
    },
  ],
  [
    "the terminal interface",
    async ({ path }) => {
      const store = await openDataFile(path, { watch: true });
      await store.update((data) => set(data, { B: 1, A: "a" }));
      await store.close();
    },
  ],
  [
    "migrate",
    async ({ folder, path }) => {
      const copy = join(folder, "copy.json");
      expect(await runCli(["migrate", path, copy])).toMatchObject({ code: 0 });
      await copyFile(copy, path);
    },
  ],
];

describe("a change of a value changes one line of the data file", needs("git"), () => {
  it.each(WRITERS)("that was last written by %s", async (_name, write) => {
    const file = await exampleFile();
    const before = join(file.folder, "before.json");
    await write(file);
    await copyFile(file.path, before);
    await file.run("set PORT 4000 --env development");
    expect(changedLines(before, file.path)).toEqual([1, 1]);
  });

  it("also after an edit by hand, which the first change puts in order", async () => {
    const file = await exampleFile();
    const data = JSON.parse(await readFile(file.path, "utf8"));
    for (const list of ["environments", "variables", "values"])
      data[list] = data[list]
        .reverse()
        .map((record: object) => Object.fromEntries(Object.entries(record).reverse()));
    await writeFile(file.path, JSON.stringify(data, null, 4));
    const before = join(file.folder, "before.json");
    await file.run("set PORT 1 --env development");
    await copyFile(file.path, before);
    await file.run("set PORT 4000 --env development");
    expect(changedLines(before, file.path)).toEqual([1, 1]);
  });

  it("and the first variable of a new file adds two lines", async () => {
    const folder = await temporaryFolder();
    const [path, before] = [join(folder, "vars.json"), join(folder, "before.json")];
    expect(await runCli(["init", "--data", path])).toMatchObject({ code: 0 });
    await copyFile(path, before);
    expect(await runCli(["set", "PORT", "1", "--env", "test", "--data", path])).toMatchObject({
      code: 0,
    });
    expect(changedLines(before, path)).toEqual([2, 0]);
  });
});

describe("the same data gives the same bytes", () => {
  /** A file with every field, and a change of it. */
  async function fullFile() {
    const file = await exampleFile();
    await writeFile(
      file.path,
      (await readFile(file.path, "utf8")).replace(
        '{\n  "version"',
        '{"$schema":"s.json","version"',
      ),
    );
    await file.run('set PORT --public --optional --schema {"minimum":1}');
    await file.run("env rotate test --grace 1h");
    await file.run("env key add test --name ana --only DB_*,PORT --expires 90d");
    await file.run("env key rotate test ana --grace 1h");
    await file.run("set LATER 1 --env test");
    await file.run("unset LATER --env test");
    const path = (name: string) => join(file.folder, name);
    await copyFile(file.path, path("before.json"));
    const change = async (data: string) => {
      for (const command of [
        "set NEW 1 --env test --type string",
        "set PORT 2 --env test",
        "rename DEBUG VERBOSE",
      ]) {
        const place = data.startsWith("etcd:") ? "--store" : "--data";
        expect(
          await runCli([...command.split(" "), place, data], { cwd: file.folder }),
        ).toMatchObject({ code: 0 });
      }
    };
    await change(file.path);
    return {
      path,
      change,
      before: path("before.json"),
      expected: await readFile(file.path, "utf8"),
    };
  }

  it("from a merge and a copy", async () => {
    const { path, before, expected } = await fullFile();
    await copyFile(before, path("ours.json"));
    await copyFile(path("vars.json"), path("theirs.json"));
    expect(await runCli(["merge", before, path("ours.json"), path("theirs.json")])).toMatchObject({
      code: 0,
    });
    expect(await readFile(path("ours.json"), "utf8")).toBe(expected);
    expect(await runCli(["migrate", path("ours.json"), path("copy.json")])).toMatchObject({
      code: 0,
    });
    expect(await readFile(path("copy.json"), "utf8")).toBe(expected);
  });

  describe("from a store", needs("etcd"), () => {
    const etcd = sharedEtcd();

    it("that was changed in the same way", async () => {
      const { path, change, before, expected } = await fullFile();
      const url = etcd().storeUrl();
      expect(await runCli(["migrate", before, url])).toMatchObject({ code: 0 });
      await change(url);
      expect(await runCli(["migrate", url, path("copy.json")])).toMatchObject({ code: 0 });
      expect(await readFile(path("copy.json"), "utf8")).toBe(expected);
    });
  });
});

it.each([
  ["set PORT 1", false],
  ["unset DEBUG", false],
  ["set DATABASE_URL postgres://a", true],
])("%s loads ajv: %s, if only DATABASE_URL has a schema", async (line, isLoaded) => {
  const { folder, path, run } = await exampleFile();
  await run('set DATABASE_URL --schema {"format":"url"}');
  const preload = join(folder, "preload.cjs");
  const names = 'Object.keys(require.cache).map((path) => require("node:path").basename(path))';
  await writeFile(preload, `process.on("exit", () => console.log(${names}.includes("2020.cjs")));`);
  const argv = [
    "--require",
    preload,
    BINARY,
    ...line.split(" "),
    "--data",
    path,
    "--env",
    "development",
  ];
  expect(await runBinary(process.execPath, argv)).toEqual({
    code: 0,
    stdout: `${isLoaded}\n`,
    stderr: "",
  });
});
