import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Command,
  flagRows,
  HELP_FLAG,
  OUTPUT_FLAGS,
} from "../../src/cli/arguments/command.js";
import { loadAll } from "../../src/cli/command-registry.js";
import { SHELL_NAMES } from "../../src/cli/completion/shells.js";
import { has } from "../formats/consumers.js";
import { run } from "../support/binary.js";
import { DATA, edited } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { completionFolder, hasShell, offered } from "../support/shell-completion.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/**
 * The words alone, sorted: without descriptions, and without the `--flag=` that fish and bash
 * differ in.
 */
function words(lines: readonly string[] | undefined): string[] {
  return (lines ?? []).map((line) => line.replace(/\t.*/, "").replace(/^--[\w-]+=/, "")).sort();
}

async function local(): Promise<Record<string, string>> {
  return { APPVARS_DATA: (await dataFile(DATA)).path, APPVARS_ENV: "shop/development" };
}

/** Each command as a line, with the subcommands and flags that must be offered after it. */
function commandLines(
  { flags, commands = {} }: Command,
  line: string,
): [string, string[], string[]][] {
  const rows = [...flagRows({ ...flags, ...OUTPUT_FLAGS, ...HELP_FLAG })];
  const spellings = rows.flatMap(([spelling, { refused }]) => (refused ? [] : [spelling]));
  return [
    [line, Object.keys(commands), spellings],
    ...Object.entries(commands).flatMap(([name, child]) => commandLines(child, `${line} ${name}`)),
  ];
}

for (const shell of SHELL_NAMES) {
  describe.skipIf(!hasShell(shell))(`in ${shell} (skipped without it)`, () => {
    const complete = async (line: string, options?: Parameters<typeof offered>[2]) =>
      words((await offered(shell, [line], options)).get(line));

    it(`${shell} completes every command and every flag`, async () => {
      const expected = commandLines(await loadAll(), "appvars");
      const lines = expected.flatMap(([line]) => [`${line} `, `${line} --`, `${line} -`]);
      const found = await offered(shell, lines);
      for (const [line, subcommands, flags] of expected) {
        if (subcommands.length > 0)
          expect(words(found.get(`${line} `)), line).toEqual([...subcommands, "help"].sort());
        expect(words(found.get(`${line} -`)), `${line} -`).toEqual([...flags].sort());
        expect(words(found.get(`${line} --`)), `${line} --`).toEqual(
          flags.filter((flag) => flag.startsWith("--")).sort(),
        );
      }
    });

    it(`${shell} completes every choice of a flag, after a space and after =`, async () => {
      const { commands = {} } = await loadAll();
      const expected = Object.entries(commands).flatMap(([name, { flags }]) =>
        [...flagRows(flags).values()].flatMap(({ long, choices }) =>
          choices
            ? [" ", "="].map((sign) => [`appvars ${name} ${long}${sign}`, choices] as const)
            : [],
        ),
      );
      expect(expected.length).toBeGreaterThan(4);
      const found = await offered(
        shell,
        expected.map(([line]) => line),
      );
      for (const [line, choices] of expected)
        expect(words(found.get(line)), line).toEqual([...choices].sort());
    });

    it(`${shell} completes by the words before`, async () => {
      const expected: Record<string, string[]> = {
        "appvars s": ["sandbox", "seal", "serve", "set", "show", "sign"],
        "appvars --json s": ["sandbox", "seal", "serve", "set", "show", "sign"],
        "appvars env rot": ["rotate"],
        "appvars env --quiet rot": ["rotate"],
        "appvars export --format do": ["docker", "dotenv"],
        "appvars export --format=do": ["docker", "dotenv"],
        "appvars completion ": ["bash", "fish", "zsh"],
        "appvars help sh": ["show"],
        "appvars get --url ": [],
        "appvars list --filter ": [],
        "appvars nope ": [],
        "appvars env nope ": [],
        "appvars set NAME VALUE ": [],
        "appvars env add sta": [],
        "appvars list --values -- --f": [],
      };
      const found = await offered(shell, Object.keys(expected));
      const actual = Object.keys(expected).map((line) => [line, words(found.get(line))]);
      expect(Object.fromEntries(actual)).toEqual(expected);
    });

    it(`${shell} completes names of variables`, async () => {
      const env = await local();
      expect(await complete("appvars get D", { env })).toEqual(["DATABASE_URL", "DEBUG"]);
      expect(await complete("appvars get DEBUG --json DA", { env })).toEqual(["DATABASE_URL"]);
      expect(await complete("appvars show -- DA", { env })).toEqual(["DATABASE_URL"]);
      expect(await complete("appvars show DEBUG D", { env })).toEqual([]);
    });

    it(`${shell} completes names of variables from the data file on the line`, async () => {
      const { path } = await dataFile(DATA);
      for (const data of [`--data ${path}`, `--data=${path}`]) {
        expect(await complete(`appvars get ${data} --env shop/development D`)).toEqual([
          "DATABASE_URL",
          "DEBUG",
        ]);
        expect(await complete(`appvars unset ${data} --env=billing/development D`)).toEqual([
          "DATABASE_URL",
        ]);
        expect(await complete(`appvars set ${data} DE`)).toEqual(["DEBUG"]);
      }
    });

    it(`${shell} completes environments from the data file`, async () => {
      const { path } = await dataFile(DATA);
      expect(await complete(`appvars get --data ${path} --env t`)).toEqual(["test"]);
      expect(await complete(`appvars get --data ${path} --env=shop`)).toEqual(["shop/development"]);
      expect(await complete(`appvars env rotate --data ${path} pro`)).toEqual(["production"]);
    });

    it(`${shell} completes profiles, and uses the profile on the line`, async () => {
      const { path } = await dataFile(DATA);
      const home = await temporaryFolder();
      const profiles = {
        staging: { data: path, env: "test" },
        other: { url: "http://127.0.0.1:1" },
      };
      await mkdir(join(home, "appvars"));
      await writeFile(
        join(home, "appvars", "profiles.json"),
        JSON.stringify({ version: 1, profiles }),
      );
      const env = { XDG_CONFIG_HOME: home };
      expect(await complete("appvars get --profile ", { env })).toEqual(["other", "staging"]);
      expect(await complete("appvars get --profile=st", { env })).toEqual(["staging"]);
      expect(await complete("appvars get --profile staging DAT", { env })).toEqual([
        "DATABASE_URL",
      ]);
      expect(await complete("appvars get --profile other DAT", { env })).toEqual([]);
      expect(await complete("appvars show --profile staging DAT", { env })).toEqual([
        "DATABASE_URL",
      ]);
      expect(await complete("appvars profile use st", { env })).toEqual(["staging"]);
      expect(await complete("appvars profile remove other st", { env })).toEqual(["staging"]);
      expect(await complete("appvars profile add st", { env })).toEqual([]);
    });

    it(`${shell} completes the last name of a list with commas`, async () => {
      const found = await complete("appvars run --only PORT,DA", { env: await local() });
      expect(found.map((word) => word.replace(/^PORT,/, ""))).toEqual(["DATABASE_URL"]);
    });

    it(`${shell} completes the name of another program, and then no flags of appvars`, async () => {
      expect(await complete("appvars run -- mkfif")).toEqual(["mkfifo"]);
      expect(await complete("appvars run mkfif")).toEqual(["mkfifo"]);
      expect(await complete("appvars run -- mkfifo --onl")).toEqual([]);
      expect(await complete("appvars sandbox --latency 5 mkfif")).toEqual(["mkfifo"]);
    });

    it(`the script for ${shell} has no syntax errors`, async () => {
      const { script } = await completionFolder(shell, await loadAll());
      expect(await run(shell, ["-n", script])).toEqual({ code: 0, stdout: "", stderr: "" });
    });
  });
}

for (const shell of ["zsh", "fish"] as const) {
  it.skipIf(!hasShell(shell))(`${shell} shows descriptions (skipped without it)`, async () => {
    const lines = ["appvars sho", "appvars show --val", "appvars show DAT"];
    const found = await offered(shell, lines, { env: await local() });
    expect(lines.map((line) => found.get(line)?.[0]?.replace(/^.*(\t| -- )/, ""))).toEqual([
      "show one variable, and where it comes from",
      "show the value too",
      "Primary database",
    ]);
  });

  it.skipIf(!hasShell(shell))(
    `${shell} shows untrusted descriptions literally (skipped without it)`,
    async () => {
      const description = "$(touch pwned) `touch pwned` %F{red} a:b\\c [d] 'e' \"f\"";
      const { path } = await dataFile(
        edited((data) => Object.assign(data.variables[1], { description })),
      );
      const line = `appvars get --data ${path} --env test DAT`;
      const found = await offered(shell, [line]);
      expect(found.get(line)?.[0]).toContain(description);
    },
  );
}

it.skipIf(!has("shellcheck", "--version"))(
  "shellcheck finds no problem in the script for bash (skipped without it)",
  async () => {
    const { script } = await completionFolder("bash", await loadAll());
    expect(await run("shellcheck", ["-s", "bash", script])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  },
);
