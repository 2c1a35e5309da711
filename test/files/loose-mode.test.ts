import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { looseModeWarning } from "../../src/files/path-risks.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe.skipIf(process.platform === "win32")("the mode of a data file", () => {
  it.each([0o600, 0o400, 0o700])("is fine when only its owner has access: %o", async (mode) => {
    expect(await looseModeWarning(await fileOf(mode))).toBeUndefined();
  });

  it.each([
    [0o644, "0644"],
    [0o640, "0640"],
    [0o604, "0604"],
    [0o602, "0602"],
    [0o610, "0610"],
    [0o666, "0666"],
  ])("causes a warning, with the fix, when others have access: %o", async (mode, shown) => {
    const path = await fileOf(mode);
    const warning = `${path} holds secrets and others may read it (mode ${shown}); run: chmod 600 ${path}`;
    expect(await looseModeWarning(path)).toBe(warning);
  });

  it.runIf(process.getuid?.() === 0)(
    "is fine for a credential of a systemd service, which an ACL protects",
    async () => {
      expect(await looseModeWarning(await fileOf(0o440))).toBeUndefined();
    },
  );

  it("can't be checked for a missing file", async () => {
    await expect(looseModeWarning(join(await temporaryFolder(), "none.json"))).rejects.toThrow("ENOENT");
  });
});

async function fileOf(mode: number): Promise<string> {
  const path = join(await temporaryFolder(), "data.json");
  await writeFile(path, "");
  await chmod(path, mode);
  return path;
}
