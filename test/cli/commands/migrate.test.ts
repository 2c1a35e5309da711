import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDataFile } from "../../../src/store/json-file-store.js";
import { runCli } from "../../support/cli.js";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** Data with all that a record can have. */
const FULL = edited((data) => {
  data.$schema = "./appvars.schema.json";
  data.last_ids = { environments: 9, variables: 90, values: 900 };
  data.environments[0].previous = [
    { api_key: "old-key", api_secret: "old-secret", valid_until: "2099-01-31T12:00:00.000Z" },
  ];
  data.values[3].content.value = { 'quote"': "line\nbreak \ud83d\ude00", deep: [[{ a: -1.5e-7 }]], n: null };
});
const COUNTS = "4 environments, 8 variables and 9 values";
/** All that must not be printed. */
const SECRET = /secret|postgres|old-key|dev-key|production only/;

/** Runs the command, and checks that it prints neither values nor secrets. */
async function migrate(from: string, to: string, ...flags: string[]) {
  const { code, stdout, stderr } = await runCli(["migrate", from, to, ...flags]);
  expect(stdout + stderr).not.toMatch(SECRET);
  return { code, stdout, stderr };
}

async function newFile(): Promise<string> {
  return join(await temporaryFolder(), "new.json");
}

async function readData(path: string) {
  const store = await openDataFile(path);
  await store.close();
  return store.snapshot;
}

async function versionOf(path: string) {
  const { ino, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return { ino, mtimeNs, ctimeNs };
}

it("migrate creates a file that only its owner can read", async () => {
  const to = await newFile();
  const { path } = await dataFile(FULL);
  const copied = {
    code: 0,
    stdout: "",
    stderr: `appvars: copied ${COUNTS} from ${path} to ${to}, and read them back\n`,
  };
  expect(await migrate(path, to)).toEqual(copied);
  expect((await stat(to)).mode & 0o777).toBe(0o600);
  expect(await readData(to)).toEqual(await readData(path));
});

it("migrate does not touch a file that holds the same, in another order", async () => {
  const { path } = await dataFile(DATA);
  const { path: to } = await dataFile(edited((data) => data.values.reverse()));
  const before = await versionOf(to);
  const { code, stderr } = await migrate(path, to);
  expect([code, stderr]).toEqual([
    0,
    `appvars: ${to} holds the same as ${path} already: ${COUNTS}; nothing was written\n`,
  ]);
  expect(await versionOf(to)).toEqual(before);
});

it("migrate does not replace other data", async () => {
  const { path } = await dataFile(DATA);
  const { path: to } = await dataFile(FULL);
  const before = await readFile(to, "utf8");
  const { code, stderr } = await migrate(path, to);
  expect([code, stderr]).toEqual([
    8,
    `appvars: ${to} holds other data, and was not changed: name another file, or move this one away\n`,
  ]);
  expect(await readFile(to, "utf8")).toBe(before);
});
