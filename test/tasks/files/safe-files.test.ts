import {
  chmod,
  chown,
  lchown,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openDataAccess } from "../../../src/tasks/data/open-data.js";
import { outputTarget, writePrivateFile } from "../../../src/tasks/files/write-private-file.js";
import { findPlaces } from "../../../src/tui/adapters/find-places.js";
import { watchData } from "../../../src/tui/adapters/open-place.js";
import { createEditor } from "../../../src/tui/adapters/variable-editor.js";
import { aCaller } from "../../support/caller.js";
import { type CliOptions, NOT_ROOT, runCli, runWith } from "../../support/cli.js";
import { DATA } from "../../support/data.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const IS_ROOT = process.getuid?.() === 0;
const OTHER = 1234;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = join(await temporaryFolder(), "folder");
  path = join(folder, "vars.json");
  await mkdir(folder);
  await writeFile(path, JSON.stringify(DATA), { mode: 0o600 });
});
const env = () => ({ APPVARS_DATA: path, APPVARS_ENV: "shop/development" });
const run = (argv: string[], options: CliOptions = {}) =>
  runCli(argv, { ...NOT_ROOT, ...options, env: { ...env(), ...options.env } });

const EDITS = [
  ["set", "PORT", "1"],
  ["unset", "PORT"],
  ["import", "-", "--format", "json"],
  ["env", "add", "shop/staging"],
  ["env", "rotate", "test"],
  ["env", "rename", "test", "qa"],
  ["env", "remove", "test", "--yes"],
  ["rename", "PORT", "LISTEN"],
];
const SERVE = ["serve", "--port", "0"];
const READS = [
  ["get", "PORT"],
  ["list"],
  ["export", "--format", "json"],
  ["env", "list"],
  ["import", "-", "--dry-run", "--format", "json"],
  ["rename", "PORT", "LISTEN", "--dry-run"],
  ["diff", "test", "production"],
];

describe.skipIf(process.platform === "win32")("a data file that every user may write", () => {
  beforeEach(() => chmod(path, 0o666));

  it.each([...EDITS, SERVE])(
    "a world-writable data file is refused by %s %s with exit code 8, unchanged",
    async (...argv) => {
      const before = await readFile(path, "utf8");
      const message = `${path} can be changed by other users: it can be written by everybody; run: chmod go-w`;
      for (const options of IS_ROOT ? [NOT_ROOT, { user: 0, groups: [0] }] : [NOT_ROOT]) {
        const { code, stdout, stderr } = await run(argv, { ...options, stdin: '{"PORT":1}' });
        const advice = `${path}; or set APPVARS_ALLOW_UNSAFE_FILES=1 if you trust these users`;
        expect([code, stdout, stderr]).toEqual([8, "", `appvars: ${message} ${advice}\n`]);
      }
      expect(await readFile(path, "utf8")).toBe(before);
      expect(await readdir(folder)).toEqual(["vars.json"]);
    },
  );

  it.each(READS)(
    "a world-writable data file is read by %s %s with one warning",
    async (...argv) => {
      const { code, stderr } = await run(argv, { stdin: '{"PORT":1}' });
      expect(code).toBe(0);
      expect(stderr.match(/can be changed by other users/g)).toHaveLength(1);
    },
  );

  it("a world-writable data file can't be edited in the TUI", async () => {
    const caller = aCaller({ user: NOT_ROOT.user ?? process.getuid?.(), groups: [1000] });
    const local = await openDataAccess({ kind: "file", path }, caller);
    const data = await watchData(local, caller.surroundings);
    const editor = createEditor(data, data.service.findEnvironment("test"), undefined);
    const draft = {
      name: "NEW",
      before: undefined,
      type: "STRING",
      value: "x",
      description: "",
      schema: "",
    } as const;
    await expect(editor.prepare(draft)).rejects.toThrow("can be changed by other users");
    const after = { type: "STRING", value: "x", description: "" } as const;
    const edit = { environment: "shop/test", changes: [{ name: "NEW", before: undefined, after }] };
    await expect(editor.apply([edit])).rejects.toThrow("can be changed by other users");
    await data.store.close();
  });

  it("a world-writable data file is opened in the TUI with a warning", async () => {
    const { stderr } = await runWith(async (io) => {
      const { close } = await findPlaces(
        { data: path },
        aCaller(io.surroundings, { warn: (text) => void io.stderr.write(text) }),
      );
      await close();
    }, NOT_ROOT);
    expect(stderr).toContain("can be changed by other users");
  });

  it("doctor finds a world-writable data file", async () => {
    const { code, stdout } = await run(["doctor"]);
    expect(code).toBe(8);
    expect(stdout).toContain(
      `problem\tfile_modes\t${path} can be changed by other users: it can be written by everybody\trun: chmod go-w ${path}; or set`,
    );
    expect(stdout).not.toContain("only you can read and write");
  });

  it("APPVARS_ALLOW_UNSAFE_FILES=1 allows a world-writable data file", async () => {
    const [allowed, forbidden, mistaken] = ["true", "0", "yes"].map((text) => ({
      env: { APPVARS_ALLOW_UNSAFE_FILES: text },
    }));
    expect((await run(["set", "PORT", "1"], forbidden)).code).toBe(8);
    const message = "appvars: APPVARS_ALLOW_UNSAFE_FILES must be 1 or 0\n";
    expect(await run(["set", "PORT", "1"], mistaken)).toEqual({
      code: 2,
      stdout: "",
      stderr: message,
    });
    const { code, stderr } = await run(["set", "PORT", "1"], allowed);
    expect([code, stderr]).toEqual([0, expect.stringContaining("can be changed by other users")]);
    expect(await run(["get", "PORT"], allowed)).toEqual({ code: 0, stdout: "1\n", stderr: "" });
    expect((await run(["doctor"], allowed)).code).toBe(0);
  });
});

describe.skipIf(process.platform === "win32")(
  "a data file that only we and root can change",
  () => {
    it.each([...EDITS, ...READS, SERVE])("is used by %s %s without a warning", async (...argv) => {
      await chmod(folder, 0o775);
      await chmod(path, 0o644);
      const { code, stderr } = await run(argv, { stdin: '{"PORT":1}' });
      expect([code, stderr]).toEqual([0, expect.not.stringContaining("other users")]);
    });
  },
);

it("a data file that must not be replaced is refused before seal makes a key", async () => {
  await chmod(path, 0o400);
  const { code, stderr } = await run(["seal", path]);
  expect([code, stderr]).toEqual([
    8,
    expect.stringContaining(`${path} is read-only: to allow changes, run: chmod u+w`),
  ]);
  expect(await readdir(folder)).toEqual(["vars.json"]);
});

describe.skipIf(!IS_ROOT)("a data file of another user", () => {
  beforeEach(async () => {
    for (const owned of [folder, path]) await chown(owned, OTHER, OTHER);
  });
  const message = () => `${path} can be changed by other users: it belongs to another user`;

  it("another user's data file is refused by commands that change or serve it", async () => {
    for (const argv of [["set", "PORT", "1"], SERVE]) {
      const { code, stderr } = await run(argv);
      expect([code, stderr]).toEqual([8, expect.stringContaining(message())]);
    }
  });

  it("root may change and serve another user's data file, with a warning", async () => {
    for (const argv of [["set", "PORT", "1"], SERVE]) {
      const { code, stderr } = await run(argv, { user: 0, groups: [0] });
      expect([code, stderr]).toEqual([0, expect.stringContaining(`${message()}\n`)]);
    }
    expect((await stat(path)).uid).toBe(OTHER);
    expect(await run(["get", "PORT"], { user: 0, groups: [0] })).toEqual({
      code: 0,
      stdout: "1\n",
      stderr: "",
    });
  });
});

describe.skipIf(process.platform === "win32")("export --output", () => {
  const target = () => join(folder, "out.env");
  const exported = (file: string, options: CliOptions = {}) =>
    run(["export", "--output", file], options);
  let safe: string;
  beforeEach(async () => {
    safe = join(await temporaryFolder(), "vars.json");
    await writeFile(safe, JSON.stringify({ ...DATA, variables: [], values: [] }));
    path = safe;
  });

  it.skipIf(!IS_ROOT)("does not follow another user's link, not even as root", async () => {
    const victim = join(folder, "victim");
    await writeFile(victim, "untouched");
    await symlink(victim, target());
    await lchown(target(), OTHER, OTHER);
    await chmod(folder, 0o1777);
    for (const options of [NOT_ROOT, { user: 0, groups: [0] }]) {
      const { code, stderr } = await exported(target(), options);
      expect([code, stderr]).toEqual([
        8,
        expect.stringContaining("it is a link that belongs to another user"),
      ]);
    }
    expect(await readFile(victim, "utf8")).toBe("untouched");
  });

  it.skipIf(!IS_ROOT)(
    "does not follow a link that another user created after the first check",
    async () => {
      const victim = join(folder, "victim");
      await writeFile(victim, "untouched");
      await chmod(folder, 0o1777);
      for (const io of [
        { user: 1000, groups: [1000], env: {} },
        { user: 0, groups: [0], env: { APPVARS_ALLOW_UNSAFE_FILES: "1" } },
      ]) {
        expect(outputTarget(target(), io)).toBe(target());
        await symlink(victim, target());
        await lchown(target(), OTHER, OTHER);
        await expect(writePrivateFile(target(), "secret", io)).rejects.toThrow(
          "it is a link that belongs to another user",
        );
        await rm(target());
      }
      expect(await readFile(victim, "utf8")).toBe("untouched");
    },
  );

  it("creates no folder, and replaces the target of our own link", async () => {
    const io = { user: process.getuid?.(), groups: process.getgroups?.() ?? [], env: {} };
    await expect(writePrivateFile(join(folder, "none", "x"), "", io)).rejects.toThrow(
      "no such file or folder",
    );
    await mkdir(join(folder, "sub"));
    await symlink(join(folder, "sub"), join(folder, "link"));
    await writePrivateFile(`${folder}/link/../out.env`, "secret", io);
    expect(await readFile(target(), "utf8")).toBe("secret");
  });
});
