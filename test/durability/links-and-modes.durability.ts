import {
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { countingFile, leftBeside, readCount } from "./counting-file.js";
import { figure } from "./figure.js";
import { runWriter } from "./programs.js";

const WRITES = 20;
const COUNT = ["count", `${WRITES}`];

it("a link to the file stays a link, and its target is written", async () => {
  const link = await countingFile(10_000);
  const real = join(dirname(link), "real", "data.json");
  await mkdir(dirname(real));
  await rename(link, real);
  await symlink(join("real", "data.json"), link);
  const { code } = await runWriter([link, ...COUNT]);
  const isLink = (await lstat(link)).isSymbolicLink();
  figure(
    `symlinked file: ${WRITES} writes, it ${isLink ? "is still a link" : "is NO link any more"}`,
  );
  expect({ code, isLink, target: await readlink(link) }).toStrictEqual({
    code: 0,
    isLink: true,
    target: join("real", "data.json"),
  });
  expect(await readCount(real)).toBe(WRITES);
  expect(await leftBeside(real)).toStrictEqual([]);
  expect(await leftBeside(link)).toStrictEqual(["real"]);
});

it.each(["000", "022", "077"])(
  "the file stays its owner's alone under the umask %s",
  async (umask) => {
    const path = await countingFile(10_000);
    const through = ["sh", "-c", `umask ${umask}; exec "$@"`, "sh"];
    const { code } = await runWriter([path, ...COUNT], { through });
    const mode = ((await stat(path)).mode & 0o777).toString(8);
    figure(`umask ${umask}: mode ${mode} after ${WRITES} writes`);
    expect({ code, mode }).toStrictEqual({ code: 0, mode: "600" });
  },
);

it("a link planted where a temporary file may come is not followed", async () => {
  const path = await countingFile(10_000);
  const victim = join(dirname(path), "victim");
  await writeFile(victim, "untouched");
  const planted = ["tmp", "0123456789ab.tmp", "lock.tmp"].map((end) => `.${basename(path)}.${end}`);
  await Promise.all(planted.map((name) => symlink("victim", join(dirname(path), name))));
  const { code } = await runWriter([path, ...COUNT]);
  const text = await readFile(victim, "utf8");
  figure(`planted links: ${planted.length}, their target is ${text}`);
  expect({ code, text }).toStrictEqual({ code: 0, text: "untouched" });
  expect((await lstat(path)).isFile()).toBe(true);
  expect(await readCount(path)).toBe(WRITES);
});
