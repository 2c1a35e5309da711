import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import polka from "polka";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EXIT_CODES } from "../../src/cli/output/report-error.js";
import { VARIABLE_FIELDS } from "../../src/model/variable.js";
import { createRouter } from "../../src/server/api/routes.js";
import { SETTING_NAMES, SETTINGS } from "../../src/tasks/settings/setting-table.js";
import { runCli } from "../support/cli.js";
import { REPOSITORY } from "./documents.js";

const COMMANDS = readDocument("commands.md");
const SHARED_FLAGS = ["Global flags", "Source flags", "Data flags"].flatMap((title) =>
  flagsIn(sectionOf(title)),
);
const SUBCOMMANDS = {
  env: ["list", "add", "rename", "credentials", "rotate", "remove", "key"],
  profile: ["list", "add", "use", "remove"],
};

describe("docs/commands.md", () => {
  it("describes each command with exactly its flags", async () => {
    const { stdout } = await runCli(["--help"]);
    const commands = namesIn(stdout).filter((name) => !["help", "connection"].includes(name));
    expect(commands).toContain("serve");
    for (const command of commands) {
      const own = (await flagsOf(command)).filter((flag) => !SHARED_FLAGS.includes(flag));
      const described = flagsIn(sectionOf(command)).filter((flag) => !SHARED_FLAGS.includes(flag));
      expect(new Set(described), command).toEqual(new Set(own));
    }
  });

  it("describes the flags that commands share", async () => {
    const all = ["connection", "set", "help"].map((name) => flagsOf(name));
    const flags = (await Promise.all(all)).flat();
    expect(SHARED_FLAGS.filter((flag) => !flags.includes(flag))).toEqual([]);
  });

  it.each(Object.entries(SUBCOMMANDS))(
    "describes each subcommand of %s",
    async (command, subcommands) => {
      const { stdout } = await runCli([command, "--help"]);
      expect(namesIn(stdout).filter((name) => name !== "help")).toEqual(subcommands);
      for (const subcommand of subcommands)
        expect(sectionOf(command)).toContain(`\`${command} ${subcommand}`);
    },
  );

  it("lists the exit codes and the error codes of --json", () => {
    const section = sectionOf("Exit codes");
    for (const [name, code] of Object.entries(EXIT_CODES)) {
      expect(section).toContain(`\n| ${code} | `);
      expect(section).toContain(`\`${name}\``);
    }
  });
});

it("docs/settings.md describes each environment variable", () => {
  const sources = readdirSync(join(REPOSITORY, "src"), {
    recursive: true,
    encoding: "utf8",
  }).filter((path) => /\.tsx?$/.test(path));
  const names = sources.flatMap(
    (path) =>
      readFileSync(join(REPOSITORY, "src", path), "utf8").match(/\bAPPVARS_[A-Z_]*[A-Z]\b/g) ?? [],
  );
  const settings = readDocument("settings.md");
  expect([...new Set(names)].filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
});

it("docs/settings.md and the flags have each setting, and no other", async () => {
  // The flag and the variable are in the first two cells, a variable without a flag is in one of
  // them.
  const rows = [...readDocument("settings.md").matchAll(/^\|(.*?)\|(.*?)\|/gm)];
  const flags = rows.flatMap(([, first = ""]) => first.match(/--[a-z][a-z-]*/g) ?? []);
  const variables = rows.flatMap(
    ([, first, second]) => `${first} ${second}`.match(/\bAPPVARS_[A-Z_]+/g) ?? [],
  );
  const named = (place: "flag" | "variable") =>
    new Set(SETTING_NAMES.flatMap((name) => SETTINGS[name][place] ?? []));
  expect(new Set(flags)).toEqual(named("flag"));
  const shared = await flagsOf("completion");
  const accepted = (await flagsOf("connection")).filter((flag) => !shared.includes(flag));
  expect(new Set(accepted)).toEqual(named("flag"));
  const others = ["ALLOW_PROJECT", "ACTOR", "ALLOW_UNSAFE_FILES", "RATE_LIMIT_STORE"].map(
    (name) => `APPVARS_${name}`,
  );
  expect(new Set(variables)).toEqual(new Set([...named("variable"), ...others]));
  const inFilesAlone = Object.values(SETTINGS).filter(({ flag, variable }) => !flag && !variable);
  for (const { key } of inFilesAlone) expect(readDocument("settings.md")).toContain(`\`${key}\``);
});

it("docs/http-api.md and docs/data-file.md have every field of a variable", () => {
  const [row = ""] = readDocument("http-api.md").match(/^\| Variable \|.*$/m) ?? [];
  const fields = [...row.matchAll(/`(\w+)` (?:string|number)/g)].map(([, field]) => field);
  expect(fields.sort()).toEqual(VARIABLE_FIELDS.toSorted());
  for (const field of VARIABLE_FIELDS)
    expect(readDocument("data-file.md")).toMatch(new RegExp(`^\\| \`${field}\``, "m"));
});

it("docs/http-api.md has exactly the routes of the server", () => {
  const routes = registeredRoutes();
  expect(routes).toContain("/healthz");
  const [, endpoints = ""] = readDocument("http-api.md").split(/^## Endpoints$/m);
  const rows = [...endpoints.matchAll(/^\| `(.+?)` \|/gm)].map(([, path]) => path as string);
  // Only the table of endpoints; the next one lists parameters.
  expect(rows.filter((path) => path.startsWith("/")).sort()).toEqual(routes);
});

/** The paths that the server has handlers for, such as `/v1/variables/{id}`. */
function registeredRoutes(): string[] {
  // The method that every router of polka inherits from trouter.
  const add = vi.spyOn(Object.getPrototypeOf(Object.getPrototypeOf(polka())), "add");
  onTestFinished(() => add.mockRestore());
  createRouter();
  const [app] = add.mock.contexts as { routes: { pattern: RegExp }[] }[];
  const paths =
    app?.routes.map(({ pattern }) =>
      pattern.source.replace(/^\^|\$$/g, "").replaceAll("\\/", "/"),
    ) ?? [];
  return paths
    .filter((path) => path !== "")
    .map((path) =>
      path.replaceAll(
        /\(\?<(\w+)>\[\^\/\]\+\)/g,
        (_, name) => `{${name === "name" ? "variable_name" : name}}`,
      ),
    )
    .sort();
}

/** The flags of a command and of its subcommands, as their help lists them. */
async function flagsOf(command: string): Promise<string[]> {
  const subcommands = SUBCOMMANDS[command as keyof typeof SUBCOMMANDS] ?? [];
  const calls = [[command], ...subcommands.map((subcommand) => [command, subcommand])];
  const helps = await Promise.all(calls.map((words) => runCli([...words, "--help"])));
  return helps.flatMap(({ stdout }) =>
    [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag as string),
  );
}

/** The commands that a help lists. */
function namesIn(help: string): string[] {
  const list = help.replace(/^.*--help[^\n]*/s, "").replace(/Examples?:.*/s, "");
  return [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name as string);
}

function flagsIn(text: string): string[] {
  return text.replaceAll(/^```.*?^```$/gms, "").match(/(?<=`)--[a-z][\w-]*/g) ?? [];
}

/** The text below a heading, up to the next one. */
function sectionOf(title: string): string {
  const [, section] = COMMANDS.split(new RegExp(`^#+ ${title}$`, "m"));
  if (section === undefined) throw new Error(`docs/commands.md has no section "${title}"`);
  return section.split(/^#+ /m)[0] ?? "";
}

function readDocument(name: string): string {
  return readFileSync(join(REPOSITORY, "docs", name), "utf8");
}
