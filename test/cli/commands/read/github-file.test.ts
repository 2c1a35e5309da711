import { chmod, chown, lchown, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";
import { cliWithDataFile } from "../../../support/cli-with-data-file.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const cli = cliWithDataFile();

describe("export --format github", () => {
  const LINES = /^PORT<<(appvars_[0-9a-f]{32})\n3000\n\1\n$/;

  it("appends to a file of --output instead, which it creates for its owner only", async () => {
    const folder = await temporaryFolder();
    const [file, other] = [join(folder, "out"), join(folder, "set_env")];
    await writeFile(other, "");
    cli.env = { ...cli.env, GITHUB_ENV: other };
    const argv = ["export", "--format", "github", "--output", file, "--only", "PORT"];
    expect(await cli.run(argv)).toEqual({ code: 0, stdout: "::add-mask::3000\n", stderr: "" });
    expect(await readFile(file, "utf8")).toMatch(LINES);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await cli.run(argv);
    expect((await readFile(file, "utf8")).match(/^PORT<</gm)).toHaveLength(2);
    expect(await readFile(other, "utf8")).toBe("");
  });

  it("masks each line, escaped, and each long string in JSON; not words that would mask the whole log", async () => {
    const values = {
      KEY: "-----BEGIN-----\r\n  100%\nab\n\n-----END-----\n",
      TREE: '{"password":"correct horse","on":"yes"}',
      DEBUG: "true",
      PIN: "123",
      EMPTY: "",
      SHORT_LINES: "abc\ndef\nghi",
      BLANKS: "     x     ",
    };
    for (const [name, value] of Object.entries(values)) {
      const type = name === "TREE" ? "JSON" : "STRING";
      await cli.run(["set", name, "--type", name in { DEBUG: 1 } ? "BOOLEAN" : type, "--", value]);
    }
    const { stdout, stderr } = await runCli(
      ["export", "--format", "github", "--only", Object.keys(values).join(",")],
      {
        env: { ...cli.env, GITHUB_ENV: join(await temporaryFolder(), "set_env") },
      },
    );
    expect(stdout.replaceAll("::add-mask::", "").split("\n")).toEqual(
      expect.arrayContaining([
        "-----BEGIN-----",
        "100%25",
        "-----END-----",
        '{"password":"correct horse","on":"yes"}',
        "correct horse",
      ]),
    );
    expect(stdout.split("\n")).toHaveLength(6);
    expect(stderr).toBe(
      "appvars: not masked, the values or all their lines are too short: PIN, SHORT_LINES, BLANKS\n",
    );
  });

  it("refuses to run without a file, and with stdout in its place", async () => {
    expect(await cli.run(["export", "--format", "github"])).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "appvars: --format github appends to the file that GITHUB_ENV names, which is not set: " +
        "run it in a step of GitHub Actions, or add --output FILE\n",
    });
    expect(await cli.run(["export", "--format", "github", "--output", "-"])).toMatchObject({
      code: 2,
      stdout: "",
    });
  });

  it.skipIf(process.getuid?.() !== 0)("lets root append to another user's GITHUB_ENV", async () => {
    const file = join(await temporaryFolder(), "set_env");
    await writeFile(file, "");
    await chown(file, 1001, 1001);
    const argv = ["export", "--format", "github", "--only", "PORT"];
    cli.env = { ...cli.env, GITHUB_ENV: file };
    expect(await cli.run(argv)).toEqual({ code: 0, stdout: "::add-mask::3000\n", stderr: "" });
    expect(await readFile(file, "utf8")).toMatch(LINES);
    expect((await stat(file)).uid).toBe(1001);
  });

  it.skipIf(process.getuid?.() !== 0)(
    "does not let root follow another user's link in a sticky folder",
    async () => {
      const folder = await temporaryFolder();
      await chmod(folder, 0o1777);
      const [target, link] = [join(folder, "target"), join(folder, "link")];
      await writeFile(target, "");
      await symlink(target, link);
      await lchown(link, 65534, 65534);
      cli.env = { ...cli.env, GITHUB_ENV: link };
      const { code, stdout, stderr } = await cli.run([
        "export",
        "--format",
        "github",
        "--only",
        "PORT",
      ]);
      expect([code, stdout, stderr]).toEqual([
        8,
        "",
        expect.stringContaining("it is a link that belongs to another user"),
      ]);
      expect(await readFile(target, "utf8")).toBe("");
    },
  );

  it("refuses a file that others can write", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "set_env");
    await writeFile(file, "");
    await chmod(file, 0o666);
    cli.env = { ...cli.env, GITHUB_ENV: file };
    const { code, stderr } = await cli.run(["export", "--format", "github"]);
    expect([code, stderr]).toEqual([
      8,
      expect.stringContaining("it can be written by everybody; run: chmod go-w"),
    ]);
    expect(await readFile(file, "utf8")).toBe("");
  });

  it("follows the user's own link", async () => {
    const folder = await temporaryFolder();
    await symlink(join(folder, "target"), join(folder, "link"));
    await writeFile(join(folder, "target"), "");
    cli.env = { ...cli.env, GITHUB_ENV: join(folder, "link") };
    expect((await cli.run(["export", "--format", "github", "--only", "PORT"])).code).toBe(0);
    expect(await readFile(join(folder, "target"), "utf8")).toMatch(LINES);
  });
});
