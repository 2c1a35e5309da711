import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Command } from "../../../src/cli/arguments/command.js";
import { loadAll } from "../../../src/cli/command-registry.js";
import { describeCommands } from "../../../src/cli/completion/command-table.js";
import { SHELL_NAMES, writeBranches } from "../../../src/cli/completion/shells.js";
import { runCli } from "../../support/cli.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

describe("completion", () => {
  it.each(SHELL_NAMES)(
    "%s prints a script even with invalid settings and no data",
    async (shell) => {
      const cwd = await temporaryFolder();
      await writeFile(join(cwd, ".appvars.json"), "{");
      const { code, stdout, stderr } = await runCli(["completion", shell], {
        cwd,
        env: { APPVARS_DATA: "/nowhere" },
      });
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(new RegExp(`^#.*\\n?.*Completion of appvars for ${shell}`));
      expect(stdout).not.toContain("@BRANCHES@");
    },
  );

  it.each([[[]], [["tcsh"]]])("lists the shells when it is called with %j", async (args) => {
    const { code, stdout, stderr } = await runCli(["completion", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("bash|zsh|fish");
  });

  it("--help says how to install it in each shell", async () => {
    const { stdout } = await runCli(["completion", "--help"]);
    expect(stdout).toContain("source <(appvars completion bash)");
    expect(stdout).toContain("source <(appvars completion zsh)");
    expect(stdout).toContain("~/.config/fish/completions/appvars.fish");
    expect(stdout).toContain("Example:");
  });

  it("no help lists the command __complete", async () => {
    const { stdout } = await runCli(["--help"]);
    expect(stdout).toContain("completion");
    expect(stdout).not.toContain("__complete");
  });
});

/** A command line with one command, `x`. */
function withCommand(x: Omit<Command, "description" | "examples">): Command {
  const texts = { description: "", examples: [] };
  return { ...texts, commands: { x: { ...texts, ...x } } };
}

describe("candidates by position", () => {
  const kindsAt = (key: string, all: Command) => describeCommands(all).get(`appvars ${key}`)?.kinds;

  it("the kind of a value follows from the placeholder of its flag or argument", () => {
    const all = withCommand({
      flags: {
        "-o, --output <file>": "",
        "--print <environment>": "",
        "--only <names>": "",
        "--text <text>": "",
        "--flag": "",
        "--cache[=seconds]": { help: "", preset: "5" },
      },
      arguments: { "<file>": "", "[text]": "", "<command...>": "" },
    });
    expect(kindsAt("x --output", all)).toEqual(["files"]);
    expect(kindsAt("x -o", all)).toEqual(["files"]);
    expect(kindsAt("x --print", all)).toEqual(["environments"]);
    expect(kindsAt("x --only", all)).toEqual(["name-list"]);
    expect(kindsAt("x --text", all)).toEqual([]);
    expect(kindsAt("x --flag", all)).toBeUndefined();
    expect(kindsAt("x --cache", all)).toBeUndefined();
    expect(kindsAt("x 1", all)).toEqual(["files"]);
    expect(kindsAt("x 2", all)).toEqual([]);
    expect(kindsAt("x ...", all)).toEqual(["program"]);
  });

  it("<name> is a variable of the source, or of the data file for a command without --url", () => {
    const kinds = (flag: string) =>
      kindsAt("x 1", withCommand({ flags: { [flag]: "" }, arguments: { "<name>": "" } }));
    expect([kinds("--url <url>"), kinds("--data <file>")]).toEqual([["names"], ["file-names"]]);
  });

  it("the commands that rename, copy and repeat offer variables and environments", async () => {
    const table = describeCommands(await loadAll());
    const kinds = (key: string) => table.get(`appvars ${key}`)?.kinds;
    expect([kinds("rename 1"), kinds("rename 2")]).toEqual([["file-names"], []]);
    expect([kinds("profile use 1"), kinds("profile add 1"), kinds("get --profile")]).toEqual([
      ["profiles"],
      [],
      ["profiles"],
    ]);
    expect([kinds("env rename 1"), kinds("env rename 2")]).toEqual([["environments"], []]);
    expect([kinds("env add --from"), kinds("set --env"), kinds("unset -e")]).toEqual(
      Array(3).fill(["environments"]),
    );
    const flags = (key: string) => table.get(`appvars ${key}`)?.flags.map(({ word }) => word);
    expect(flags("set")).toEqual(
      expect.arrayContaining(["--all-envs", "--application", "--dry-run"]),
    );
  });

  it("completion leaves out removed flags", () => {
    const { flags } = describeCommands(
      withCommand({
        flags: { "--secret <text>": { help: "", refused: "it was removed" }, "--seen": "" },
      }),
    ).get("appvars x") ?? { flags: [] };
    expect(flags.map(({ word }) => word)).toEqual(expect.arrayContaining(["--seen", "--help"]));
    expect(flags.map(({ word }) => word)).not.toContain("--secret");
  });
});

it("descriptions are quoted by the rules of each shell", () => {
  const table = new Map([["appvars", { ...NOTHING, flags: [OFFER] }]]);
  expect(writeBranches("bash", table)).toBe("  'appvars')\n    flags=(--x)\n    ;;\n");
  expect(writeBranches("zsh", table)).toBe(
    "  ('appvars')\n    flags=('--x:it'\\''s $(a) `b` \\\\ : [c]')\n    ;;\n",
  );
  expect(writeBranches("fish", table)).toBe(
    "        case 'appvars'\n            set flags '--x\tit\\'s $(a) `b` \\\\ : [c]'\n",
  );
});

const NOTHING = { subcommands: [], flags: [], kinds: [], choices: [] };
const OFFER = { word: "--x", description: "it's $(a) `b` \\ : [c]" };
