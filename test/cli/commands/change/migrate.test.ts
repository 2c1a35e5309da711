import { readFile, stat } from "node:fs/promises";
import { expect, it } from "vitest";
import { DATA, edited, sortedById } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { COUNTS, FULL, migrate, newFile, readData } from "../../../support/migrating.js";

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
  expect(await readData(to)).toEqual(sortedById(await readData(path)));
});

it("migrate does not touch a file that holds the same, in another order", async () => {
  const { path } = await dataFile(DATA);
  const { path: to } = await dataFile(edited((data) => data.values.reverse()));
  const before = await versionOf(to);
  const { code, stderr } = await migrate(path, to);
  expect([code, stderr]).toEqual([
    0,
    `appvars: ${to} already holds the same as ${path}: ${COUNTS}; nothing was written\n`,
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
    `appvars: ${to} holds other data, and was not changed: name another file, or move this one elsewhere\n`,
  ]);
  expect(await readFile(to, "utf8")).toBe(before);
});
