import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foreignWriter, looseModeWarning } from "../../../src/kit/files/owners.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

describe.skipIf(process.platform === "win32")("the mode of a data file", () => {
  it.each([0o600, 0o400, 0o700])("is fine when only its owner has access: %o", async (mode) => {
    expect(looseModeWarning(await fileOf(mode))).toBeUndefined();
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
    expect(looseModeWarning(path)).toBe(warning);
  });

  it.runIf(process.getuid?.() === 0)(
    "is fine for a credential of a systemd service, which an ACL protects",
    async () => {
      expect(looseModeWarning(await fileOf(0o440))).toBeUndefined();
    },
  );

  it("is not reported for a missing file", async () => {
    expect(looseModeWarning(join(await temporaryFolder(), "none.json"))).toBeUndefined();
  });
});

describe("users that can write a file besides its owner and root", () => {
  const [REGULAR, FOLDER, LINK] = [0o100000, 0o040000, 0o120000];
  const account = { user: 1000, groups: [1000, 27] };
  it.each([
    [1000, 1000, REGULAR | 0o644, undefined],
    [0, 0, REGULAR | 0o664, undefined],
    [1000, 27, REGULAR | 0o664, undefined],
    [1000, 28, REGULAR | 0o664, "can be written by a group that you are not in"],
    [1000, 1000, REGULAR | 0o602, "can be written by everybody"],
    [1001, 1000, REGULAR | 0o600, "belongs to another user"],
    [0, 0, FOLDER | 0o1777, undefined],
    [0, 0, FOLDER | 0o777, "can be written by everybody"],
    [1000, 1000, LINK | 0o777, undefined],
    [1001, 1001, LINK | 0o777, "belongs to another user"],
  ])("of user %d, group %d and mode %o: %s", (uid, gid, mode, expected) => {
    expect(foreignWriter({ uid, gid, mode }, account)).toBe(expected);
    expect(foreignWriter({ uid, gid, mode }, { user: undefined, groups: [] })).toBeUndefined();
  });
});

async function fileOf(mode: number): Promise<string> {
  const path = join(await temporaryFolder(), "data.json");
  await writeFile(path, "");
  await chmod(path, mode);
  return path;
}
