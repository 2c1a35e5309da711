import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withFileLock } from "../../../../src/kit/files/file-lock.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const OLD = "old \r\n\u0000 text";
const NEW = "new text";
/** A file with the old text, alone in its folder. */
async function oldFile(): Promise<string> {
  const path = join(await temporaryFolder(), "vars.json");
  await writeFile(path, OLD);
  return path;
}

describe("temporary files of writers that were killed", () => {
  it("a write fails when such a file can't be removed", async ({ skip }) => {
    const path = await oldFile();
    const temporary = join(dirname(path), ".vars.json.0123456789ab.tmp");
    await writeFile(temporary, NEW);
    skip(
      spawnSync("chattr", ["+i", temporary]).status !== 0,
      "needs root and a file system with such a flag",
    );
    onTestFinished(() => void spawnSync("chattr", ["-i", temporary]));
    await expect(withFileLock(path, async () => {})).rejects.toMatchObject({ code: "EPERM" });
  });
});
