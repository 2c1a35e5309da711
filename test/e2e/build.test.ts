import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

/**
 * Builds in a folder with earlier outputs.
 *
 * @param rolldown a shell script in place of the bundler
 */
async function buildWith(rolldown: string) {
  const folder = await temporaryFolder();
  for (const name of ["scripts", "bin", "dist", "build"]) await mkdir(join(folder, name));
  await cp("scripts/build.mjs", join(folder, "scripts/build.mjs"));
  for (const name of ["add-library", "add-openapi"])
    await writeFile(join(folder, `scripts/${name}.mjs`), "");
  for (const output of ["dist", "build"]) await writeFile(join(folder, output, "main.js"), "old");
  for (const [name, script] of [
    ["tsc", 'mkdir "$BUILD_FOLDER/build" && printf new > "$BUILD_FOLDER/build/main.js"'],
    ["rolldown", rolldown],
  ] as const) {
    await writeFile(join(folder, "bin", name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, "bin", name), 0o755);
  }
  const env = { ...process.env, PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter) };
  const { status } = spawnSync(process.execPath, [join(folder, "scripts/build.mjs")], { env });
  const outputs = ["dist", "build"].map((output) =>
    readFile(join(folder, output, "main.js"), "utf8"),
  );
  return [status, ...(await Promise.all(outputs))];
}

it("a build replaces both outputs", async () => {
  const rolldown = 'mkdir "$BUILD_FOLDER/dist" && printf new > "$BUILD_FOLDER/dist/main.js"';
  expect(await buildWith(rolldown)).toEqual([0, "new", "new"]);
});

it.each([
  ["fails", "exit 3", 3],
  ["is killed", "kill -9 $$", 137],
])("a build whose bundler %s leaves both outputs as they were", async (_, rolldown, status) => {
  expect(await buildWith(rolldown)).toEqual([status, "old", "old"]);
});
