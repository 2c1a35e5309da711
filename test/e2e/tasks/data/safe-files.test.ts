import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOT_ROOT, runCli } from "../../../support/cli.js";
import { DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

describe.skipIf(process.platform === "win32")("a file that every user may write", () => {
  it("a world-writable data file is read by sandbox with a warning", async () => {
    const { path } = await dataFile(DATA);
    await chmod(path, 0o666);
    const { code, stderr } = await runCli(
      ["sandbox", "--data", path, "--env", "test", "--", "true"],
      NOT_ROOT,
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining("can be changed by other users")]);
  });

  it("a world-writable file of --env-file is read, with a warning", async () => {
    const file = join(await temporaryFolder(), "my.env");
    await writeFile(file, "PORT=1\n");
    await chmod(file, 0o666);
    const env = { APPVARS_DATA: (await dataFile(DATA)).path, APPVARS_ENV: "shop/development" };
    const { code, stderr } = await runCli(["run", "--env-file", file, "--", "true"], {
      ...NOT_ROOT,
      env,
    });
    expect(code).toBe(0);
    expect(stderr).toContain(
      `appvars: ${file} can be changed by other users: it can be written by everybody`,
    );
  });
});
