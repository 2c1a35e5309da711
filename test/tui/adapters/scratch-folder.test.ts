import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeScratchFolder } from "../../../src/tui/adapters/external-editor.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const user = process.getuid?.();
describe.skipIf(process.platform === "win32")("a folder for a secret", () => {
  it("a scratch folder is private, and in the first parent folder that allows one", async () => {
    const parent = await temporaryFolder();
    const folder = await makeScratchFolder([join(parent, "missing"), parent], user);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await expect(makeScratchFolder([join(parent, "missing")], user)).rejects.toThrow(
      /can't be created: no such file/,
    );
  });
});
