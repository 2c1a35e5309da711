import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { describeCommands, type Offers } from "../../../src/cli/completion/command-table.js";
import { SHELL_NAMES, writeBranches } from "../../../src/cli/completion/shells.js";
import { buildWhole } from "../../../src/cli/program.js";
import { runCli, runWith } from "../../support/cli.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

describe("completion", () => {
  it.each(SHELL_NAMES)(
    "completion %s prints a script even with invalid settings and no data",
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

  it.each([[[]], [["tcsh"]]])(
    "completion lists the shells when it is called with %j",
    async (args) => {
      const { code, stdout, stderr } = await runCli(["completion", ...args]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("bash|zsh|fish");
    },
  );

  it("completion --help says how to install it in each shell", async () => {
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

describe("candidates by position", () => {
  function kindsAt(key: string, ...commands: Command[]): Offers["kinds"] | undefined {
    const program = new Command("appvars");
    for (const command of commands) program.addCommand(command);
    return describeCommands(program).get(`appvars ${key}`)?.kinds;
  }

  it("the kind of a value follows from the placeholder of its flag or argument", () => {
    const command = new Command("x")
      .option("-o, --output <file>", "")
      .option("--print <environment>", "")
      .option("--only <names>", "")
      .option("--text <text>", "")
      .option("--flag", "")
      .option("--cache [seconds]", "")
      .argument("<file>")
      .argument("[text]")
      .argument("<command...>");
    expect(kindsAt("x --output", command)).toEqual(["files"]);
    expect(kindsAt("x -o", command)).toEqual(["files"]);
    expect(kindsAt("x --print", command)).toEqual(["environments"]);
    expect(kindsAt("x --only", command)).toEqual(["name-list"]);
    expect(kindsAt("x --text", command)).toEqual([]);
    expect(kindsAt("x --flag", command)).toBeUndefined();
    expect(kindsAt("x --cache", command)).toBeUndefined();
    expect(kindsAt("x 1", command)).toEqual(["files"]);
    expect(kindsAt("x 2", command)).toEqual([]);
    expect(kindsAt("x ...", command)).toEqual(["program"]);
  });

  it("<name> is a variable of the source, or of the data file for a command without --url", () => {
    expect(kindsAt("x ...", new Command("x").option("--url <url>").argument("<name...>"))).toEqual([
      "names",
    ]);
    expect(kindsAt("x 1", new Command("x").option("--data <file>").argument("<name>"))).toEqual([
      "file-names",
    ]);
  });

  it("<name> is an environment or a profile after such a flag or command", () => {
    const flags = new Command("x").option("--env <name>").option("--profile <name>");
    expect(kindsAt("x --env", flags)).toEqual(["environments"]);
    expect(kindsAt("x --profile", flags)).toEqual(["profiles"]);
    for (const [group, kind] of [
      ["env", "environments"],
      ["profile", "profiles"],
    ] as const) {
      const subcommands = ["add", "remove"].map((name) => new Command(name).argument("<name>"));
      const command = new Command(group);
      for (const subcommand of subcommands) command.addCommand(subcommand);
      expect(kindsAt(`${group} remove 1`, command)).toEqual([kind]);
      expect(kindsAt(`${group} add 1`, command)).toEqual([]);
    }
  });

  it("the commands that rename, copy and repeat offer variables and environments", async () => {
    const { code: program } = await runWith(buildWhole);
    const table = describeCommands(program);
    const kinds = (key: string) => table.get(`appvars ${key}`)?.kinds;
    expect([kinds("rename 1"), kinds("rename 2")]).toEqual([["file-names"], []]);
    expect([kinds("env rename 1"), kinds("env rename 2")]).toEqual([["environments"], []]);
    expect([kinds("env add --from"), kinds("set --env"), kinds("unset -e")]).toEqual(
      Array(3).fill(["environments"]),
    );
    const flags = (key: string) => table.get(`appvars ${key}`)?.flags.map(({ word }) => word);
    expect(flags("set")).toEqual(
      expect.arrayContaining(["--all-envs", "--application", "--dry-run"]),
    );
  });

  it("completion leaves out hidden commands and flags", () => {
    const program = new Command("appvars")
      .addOption(new Option("--secret").hideHelp())
      .addCommand(new Command("seen"))
      .addCommand(new Command("unseen"), { hidden: true });
    const { subcommands, flags } = describeCommands(program).get("appvars") ?? {};
    expect(subcommands?.map(({ word }) => word)).toEqual(["seen", "help"]);
    expect(flags?.map(({ word }) => word)).toEqual(["--help", "-h"]);
  });
});

it("descriptions are quoted by the rules of each shell", () => {
  const program = new Command("appvars")
    .helpOption(false)
    .helpCommand(false)
    .option("--x", "it's $(a) `b` \\ : [c]");
  const branches = (shell: (typeof SHELL_NAMES)[number]) =>
    writeBranches(shell, describeCommands(program));
  expect(branches("bash")).toBe("  'appvars')\n    flags=(--x)\n    ;;\n");
  expect(branches("zsh")).toBe(
    "  ('appvars')\n    flags=('--x:it'\\''s $(a) `b` \\\\ : [c]')\n    ;;\n",
  );
  expect(branches("fish")).toBe(
    "        case 'appvars'\n            set flags '--x\tit\\'s $(a) `b` \\\\ : [c]'\n",
  );
});
