import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

it("init creates a file that only its owner can read, and prints no credentials", async () => {
  const path = join(await temporaryFolder(), "vars.json");
  for (const flags of [[], ["--json"]]) {
    const { code, stdout, stderr } = await runCli([
      "init",
      "--data",
      path + flags.join(""),
      ...flags,
    ]);
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringMatching(/[0-9a-f]{32}/)]);
  }
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it("init names the readers of the file on Windows", async () => {
  const path = join(await temporaryFolder(), "vars.json");
  const { stderr } = await runCli(["init", "--data", path], { platform: "win32" });
  expect(stderr).toContain("readable by all who can read its folder");
});

it("init creates three environments, with --example with variables that can be read", async () => {
  const folder = await temporaryFolder();
  const valuesIn = async (flags: string[], name: string) => {
    const data = join(folder, `${flags.length}.json`);
    await runCli(["init", ...flags], { env: { APPVARS_DATA: data } });
    const { code, stdout } = await runCli(["list", "--values", "--data", data, "--env", name]);
    expect(code).toBe(0);
    return stdout;
  };
  for (const name of ["development", "test", "production"]) {
    expect(await valuesIn([], name)).toBe("");
    expect(await valuesIn(["--example"], name)).toMatch(/^DATABASE_URL\t.*\tpostgres:/);
  }
});

it("init keeps an existing file, and exits with 8", async () => {
  const path = join(await temporaryFolder(), "vars.json");
  await writeFile(path, "precious");
  const { code, stdout } = await runCli(["init", "--data", path]);
  expect([code, stdout, await readFile(path, "utf8")]).toEqual([8, "", "precious"]);
});

it("init --from imports a file into development only, and creates nothing if the file is refused", async () => {
  const folder = await temporaryFolder();
  const [data, file] = [join(folder, "vars.json"), join(folder, "mine.env")];
  await writeFile(file, "PORT=3000\nNOT A NAME=1\n");
  expect(await runCli(["init", "--from", file, "--data", data])).toMatchObject({
    code: 2,
    stdout: "",
  });
  await expect(stat(data)).rejects.toMatchObject({ code: "ENOENT" });
  await writeFile(file, "PORT=3000\n");
  expect(await runCli(["init", "--from", file, "--data", data])).toMatchObject({
    code: 0,
    stdout: "",
  });
  const { variables, values } = JSON.parse(await readFile(data, "utf8"));
  expect(variables).toMatchObject([{ name: "PORT", type: "NUMBER" }]);
  expect(values).toMatchObject([{ environment_id: 1, content: { value: 3000 } }]);
});

it("init names the JSON Schemas of an appvars that is installed beside the file, and no others", async () => {
  const folder = await realpath(await temporaryFolder());
  const config = await temporaryFolder();
  const schemas = "./node_modules/appvars/data";
  const written = async (name: string) => {
    expect(
      await runCli(["init", "--data", join(folder, name)], { cwd: folder, config }),
    ).toMatchObject({ code: 0 });
    const [data, settings] = [name, ".appvars.json"].map(async (file) =>
      JSON.parse(await readFile(join(folder, file), "utf8")),
    );
    return [(await data).$schema, (await settings).$schema];
  };
  expect(await written("one.json")).toEqual([undefined, undefined]);
  await rm(join(folder, ".appvars.json"));
  await mkdir(join(folder, "node_modules"));
  await symlink(
    fileURLToPath(new URL("../../../..", import.meta.url)),
    join(folder, "node_modules/appvars"),
  );
  const found = await written("two.json");
  expect(found).toEqual([
    `${schemas}/appvars.schema.json`,
    `${schemas}/appvars.settings.schema.json`,
  ]);
  for (const path of found) await stat(join(folder, path));
});

it("init says which settings name a file that exists already", async () => {
  const folder = await realpath(await temporaryFolder());
  const [sub, config] = [join(folder, "sub"), join(folder, "config")];
  await mkdir(sub);
  await runCli(["init", "--data", join(folder, "vars.json")], { cwd: folder, config });
  expect(await runCli(["init"], { cwd: sub, config })).toEqual({
    code: 8,
    stdout: "",
    stderr:
      `appvars: ${folder}/vars.json can't be written: the file already exists (from data in ${folder}/.appvars.json); ` +
      "for another file, add --data\n",
  });
  expect(
    (await runCli(["init", "--data", join(folder, "vars.json")], { cwd: sub, config })).stderr,
  ).toMatch(/exists\n$/);
});

describe("for a data file in the current folder, init", () => {
  const IN_FOLDER = '{"data":"vars.json","env":"development"}\n';

  /** Commands in an empty folder, with a home. */
  async function emptyFolder(env: Record<string, string> = {}) {
    const folder = await realpath(await temporaryFolder());
    const [cwd, config] = [await mkdtemp(join(folder, "project-")), join(folder, "config")];
    const project = join(cwd, ".appvars.json");
    const init = (...flags: string[]) =>
      runCli(["init", "--data", join(cwd, "vars.json"), "--example", ...flags], {
        cwd,
        config,
        env,
      });
    return { project, init, get: () => runCli(["get", "PORT"], { cwd, config }) };
  }

  it("writes and allows a .appvars.json, with which get needs no flags", async () => {
    const { project, init, get } = await emptyFolder();
    const { stderr } = await init();
    expect(stderr).toContain(
      "created .appvars.json: commands in this folder use vars.json, environment development\n",
    );
    expect(await readFile(project, "utf8")).toBe(IN_FOLDER);
    expect((await stat(project)).mode & 0o777).toBe(0o600);
    expect(await get()).toEqual({ code: 0, stdout: "3000\n", stderr: "" });
  });

  it.each([
    ["the same", IN_FOLDER],
    ["another", '{"url":"https://vars.example"}'],
  ])("neither replaces nor allows a .appvars.json with %s content", async (_which, content) => {
    const { project, init, get } = await emptyFolder();
    await writeFile(project, content);
    const { code, stderr } = await init();
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(".appvars.json already exists and was not changed\n"),
    ]);
    expect(await readFile(project, "utf8")).toBe(content);
    expect((await get()).stderr).toContain("is not allowed yet");
  });

  it("writes no .appvars.json with --bare, or for a file in another folder", async () => {
    const { project, init } = await emptyFolder();
    await init("--bare");
    await expect(stat(project)).rejects.toMatchObject({ code: "ENOENT" });
    const other = await emptyFolder();
    await runCli(["init", "--data", `${other.project}.data`], { cwd: "/" });
    await expect(stat(other.project)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("says which variable commands use instead", async () => {
    const { init } = await emptyFolder({ APPVARS_URL: "https://vars.example" });
    expect((await init()).stderr).toMatch(
      /appvars: APPVARS_URL is set, and overrides .appvars.json\n$/,
    );
  });

  it("succeeds without a home, but leaves no .appvars.json, which commands would refuse", async () => {
    const { project } = await emptyFolder();
    const cwd = join(project, "..");
    const { code, stderr } = await runCli(["init", "--data", join(cwd, "vars.json")], { cwd });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("no .appvars.json was created: there is no home folder"),
    ]);
    await expect(stat(project)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("init --git", () => {
  const LINES = {
    ".gitattributes": "/vars.json text eol=lf merge=appvars diff=appvars\n",
    ".gitignore": "/vars.json.key\n/vars.json.lock\n/vars.json.history.jsonl\n/.vars.json.*.tmp\n",
  };
  const files = Object.keys(LINES) as (keyof typeof LINES)[];
  const init = (folder: string, ...flags: string[]) =>
    runCli(["init", "--git", "--bare", "--data", join(folder, "vars.json"), ...flags], {
      cwd: folder,
    });

  it("writes the files that git needs, and prints what each clone has to run", async () => {
    const folder = await temporaryFolder();
    const { code, stderr } = await init(folder);
    expect(code).toBe(0);
    expect(stderr).toContain(
      "git config merge.appvars.driver 'appvars merge %O %A %B %P' && git config diff.appvars.textconv 'appvars diff'\n",
    );
    for (const file of files) {
      expect(await readFile(join(folder, file), "utf8")).toBe(LINES[file]);
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o666 & ~process.umask());
    }
  });

  it.each([
    [".env", "/.env\n"],
    ["config/a b.env", "/config/a?b.env\n"],
    ["../.env", ""],
  ])("keeps the imported file %s out of git, if it is in the folder", async (from, line) => {
    const folder = join(await temporaryFolder(), "repository");
    await mkdir(join(folder, "config"), { recursive: true });
    await writeFile(join(folder, from), "SECRET=in clear\n");
    const { code, stderr } = await init(folder, "--from", join(folder, from));
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/ still contains the secrets in plain text; if git tracks it: git rm /),
    ]);
    expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe(
      `${LINES[".gitignore"]}${line}`,
    );
  });

  it("leaves .gitignore as it is if it names the imported file without a slash", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, ".env"), "SECRET=in clear\n");
    await writeFile(join(folder, ".gitignore"), ".env\n");
    await init(folder, "--from", join(folder, ".env"));
    expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe(`.env\n${LINES[".gitignore"]}`);
  });

  it("appends only what is missing, on a line of its own", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, ".gitattributes"), "* text=auto");
    await writeFile(join(folder, ".gitignore"), "node_modules/\r\n/vars.json.key\r\n");
    await init(folder);
    const [attributes, ignore] = files.map((file) => readFile(join(folder, file), "utf8"));
    expect(await attributes).toBe(`* text=auto\n${LINES[".gitattributes"]}`);
    expect(await ignore).toBe(
      `node_modules/\r\n/vars.json.key\r\n${LINES[".gitignore"].split("\n").slice(1).join("\n")}`,
    );
    const before = await ignore;
    expect(await init(folder)).toMatchObject({ code: 8 });
    expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe(before);
  });

  it.each(files)("follows no link, and creates no data then: %s", async (file) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "precious"), "mine");
    await symlink("precious", join(folder, file));
    expect(await init(folder)).toEqual({
      code: 8,
      stdout: "",
      stderr: `appvars: ${join(folder, file)} can't be opened: it is a link\n`,
    });
    expect(await readFile(join(folder, "precious"), "utf8")).toBe("mine");
    await expect(stat(join(folder, "vars.json"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is not for a store", async () => {
    const { code, stderr } = await runCli([
      "init",
      "--git",
      "--store",
      "etcd://127.0.0.1:1/appvars",
    ]);
    expect([code, stderr]).toEqual([2, "appvars: --git and --seal are for a data file\n"]);
  });
});
