import { readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { updateDataFile } from "../../src/store/update-data-file.js";
import { DATA } from "../support/data.js";
import { temporaryFolder } from "../support/temporary-folder.js";

it("a write fails when the link to the file was changed in the meantime", async () => {
  const folder = await temporaryFolder();
  const [first, second, link] = ["first.json", "second.json", "current.json"].map((name) => join(folder, name));
  for (const path of [first, second]) writeFileSync(path as string, JSON.stringify(DATA));
  symlinkSync(first as string, link as string);
  const update = updateDataFile(link as string, (data) => {
    symlinkSync(second as string, `${link}.new`);
    renameSync(`${link}.new`, link as string);
    return { ...data, values: [] };
  });
  await expect(update).rejects.toThrow("another program has changed it in the meantime");
  expect(JSON.parse(readFileSync(first as string, "utf8"))).toEqual(DATA);
});
