import { describe, expect, it } from "vitest";
import type { Command } from "../../src/cli/arguments/command.js";
import { loadAll } from "../../src/cli/command-registry.js";
import { runCli } from "../support/cli.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";

const all = await loadAll();

/** The words that call each command, those of commands that have commands too. */
function callsOf({ commands = {} }: Command, words: string[] = []): string[][] {
  const children = Object.entries(commands);
  return [words, ...children.flatMap(([name, child]) => callsOf(child, [...words, name]))];
}

describe("--help", () => {
  it.each(callsOf(all))("%s %s ends with an example, on stdout", async (...words) => {
    const { code, stdout, stderr } = await runCli([...words, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    const [, example = ""] = stdout.split(/\nExamples?:\n/);
    expect(example).toContain("appvars");
    expect(stdout).toContain("--json");
    expect(stdout).not.toContain("(default: false)");
  });

  it.each([
    ["serve", "appvars serve --data vars.json --port 0"],
    ["init", "appvars init --from .env"],
    ["list", "appvars list --filter database"],
    ["show", "appvars show DATABASE_URL"],
    ["health", "until appvars health --max-wait 0; do sleep 1; done"],
    ["set", "appvars set DATABASE_URL --data vars.json --env test < url.txt"],
    ["unset", "appvars unset DEBUG --data vars.json --env production"],
    ["import", "appvars import .env --data vars.json --env development --dry-run"],
    ["export", 'eval "$(appvars export --format shell)"'],
    ["diff", "appvars diff test production --data vars.json"],
    ["env rotate", "appvars env rotate production --data vars.json --grace 24h"],
    ["sign", 'curl -H "x-api-key: $APPVARS_API_KEY" \\'],
  ])("%s --help begins its example with the most common use", async (words, example) => {
    const { stdout } = await runCli([...words.split(" "), "--help"]);
    expect(stdout).toMatch(/\nExamples?:\n/);
    expect(stdout.split(/\nExamples?:\n {2}/)[1]).toContain(`${example}\n`);
  });
});

describe("the flags of a source in help", () => {
  it("the help of a command lists those of most calls, and help connection all", async () => {
    const flagsIn = async (...words: string[]) =>
      (await runCli(words)).stdout.match(
        /^ {2}(?:-e, )?--(?:profile|data|env|url|api-key|api-secret-file|timeout|store) </gm,
      );
    expect(await flagsIn("list", "--help")).toHaveLength(6);
    expect(await flagsIn("help", "connection")).toHaveLength(8);
  });

  it("the help of the program groups the commands", async () => {
    const { stdout } = await runCli(["--help"]);
    expect(stdout.match(/^\S.*:$/gm)).toEqual([
      "Options:",
      "Read variables:",
      "Change data:",
      "Serve and test:",
      "Settings:",
      "Example:",
    ]);
  });
});

it.each(["-v", "-V", "--version", "-q -v"])("appvars %s prints the version", async (line) => {
  expect(await runCli(line.split(" "))).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

it.each(["set NAME -v", "get PORT -V", "list --version"])("appvars %s is refused", async (line) => {
  expect(await runCli(line.split(" "))).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/unknown option/),
  });
});

it.each([
  ["get", "DATABASE_URL"],
  ["list"],
  ["diff", "test", "production"],
  ["unset", "DATABASE_URL"],
])("%s accepts -e for --env", async (...words) => {
  const { path } = await dataFile(DATA);
  const [command = "", ...others] = words;
  expect(await runCli([command, "--data", path, "-e", "test", ...others])).toMatchObject({
    code: 0,
  });
});

describe("a mistyped command", () => {
  it.each([
    ["gett", "unknown command 'gett' (did you mean get?)"],
    ["gett --help", "unknown command 'gett' (did you mean get?)"],
    ["help gett", "unknown command 'gett' (did you mean get?)"],
    ["ls", "unknown command 'ls' (did you mean list?)"],
    ["rm PORT", "unknown command 'rm' (did you mean unset?)"],
    ["delete PORT", "unknown command 'delete' (did you mean unset?)"],
    ["printenv", "unknown command 'printenv' (did you mean get or export?)"],
    ["explain PORT", "unknown command 'explain' (did you mean show?)"],
    ["remove PORT", "unknown command 'remove' (did you mean unset?)"],
    ["info PORT", "unknown command 'info' (did you mean show?)"],
    ["edit", "unknown command 'edit' (did you mean tui?)"],
    ["env rm x", "unknown command 'rm' (did you mean remove?)"],
    ["env lst", "unknown command 'lst' (did you mean list?)"],
    ["env lst --help", "unknown command 'lst' (did you mean list?)"],
    ["help env lst", "unknown command 'lst' (did you mean list?)"],
    ["frobnicate --help", "unknown command 'frobnicate'; see --help"],
  ])("appvars %s is refused as an unknown command", async (line, message) => {
    expect(await runCli(line.split(" "))).toEqual({
      code: 2,
      stdout: "",
      stderr: `appvars: ${message}\n`,
    });
  });

  it("is reported as JSON with --json", async () => {
    const { stderr } = await runCli(["gett", "--help", "--json"]);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: "usage", message: "unknown command 'gett' (did you mean get?)" },
    });
  });
});

it.each([
  [["env", "rotate", "shop/tset"], 'no environment named "shop/tset" (did you mean shop/test?)'],
  [
    ["get", "PORT", "--env", "prodction"],
    'no environment named "prodction" (did you mean production?)',
  ],
  [
    ["unset", "DATABASE_URI", "--env", "test"],
    '"DATABASE_URI" (did you mean DATABASE_URL?) has no value',
  ],
])("a mistyped name: %j", async (words, message) => {
  const { code, stdout, stderr } = await runCli([...words, "--data", (await dataFile(DATA)).path]);
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toContain(message);
});
