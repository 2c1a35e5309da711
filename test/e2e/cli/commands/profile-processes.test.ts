import { join } from "node:path";
import { expect, it } from "vitest";
import { BINARY, run } from "../../../support/binary.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

it("of several processes that each add a profile, none loses another's", {
  timeout: 30_000,
}, async () => {
  const home = await temporaryFolder();
  const names = ["a", "b", "c", "d", "e"];
  const profile = (...argv: string[]) =>
    run(process.execPath, [BINARY, "profile", ...argv], {
      HOME: home,
      XDG_CONFIG_HOME: join(home, "config"),
    });
  const add = (name: string) => profile("add", name, "--no-check", "--url", `http://${name}`);
  expect(await Promise.all(names.map(add))).toEqual(
    names.map(() => ({ code: 0, stdout: "", stderr: "" })),
  );
  const listed: { name: string; current: boolean }[] = JSON.parse(
    (await profile("list", "--json")).stdout,
  );
  expect(listed.map(({ name }) => name).sort()).toEqual(names);
  expect(listed.filter(({ current }) => current)).toHaveLength(1);
});
