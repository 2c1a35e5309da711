import { readFile } from "node:fs/promises";
import { Argument, Command } from "commander";
import { describeCommands } from "../completion/command-table.js";
import { SHELL_NAMES, type ShellName, writeBranches } from "../completion/shells.js";
import type { Context } from "../context.js";

/** @param buildWhole makes the program with all of its commands, to tell of them */
export function completionCommand(context: Context, buildWhole: () => Promise<Command>): Command {
  return new Command("completion")
    .summary("print the completion script of a shell")
    .description(
      "Print a script with which the Tab key completes commands, flags, files, profiles, environments and the names " +
        "of variables. Print it anew after an update: commands and flags are in it.",
    )
    .addArgument(new Argument(`<${SHELL_NAMES.join("|")}>`, "the shell").choices(SHELL_NAMES))
    .addHelpText("after", INSTALLING)
    .action(async (shell: ShellName) => context.print(await completionScript(shell, await buildWhole())));
}

/** The part of a script that is always the same, and in it what there is to know of the program's commands. */
export async function completionScript(shell: ShellName, program: Command): Promise<string> {
  const file = new URL(`../../../data/completion/appvars.${shell}`, import.meta.url);
  const branches = writeBranches(shell, describeCommands(program));
  // A function, since dollar signs in a text would mean something.
  return (await readFile(file, "utf8")).replace(/^.*@BRANCHES@.*\n/m, () => branches);
}

const INSTALLING = `
Installing:
  bash    add to ~/.bashrc:  source <(appvars completion bash)
          with the bash 3.2 of macOS:  eval "$(appvars completion bash)"
          or, where the package bash-completion is, once:
          mkdir -p ~/.local/share/bash-completion/completions
          appvars completion bash > ~/.local/share/bash-completion/completions/appvars
  zsh     add to ~/.zshrc, after compinit:  source <(appvars completion zsh)
          or, in a folder that $fpath has before compinit, once:
          mkdir -p ~/.zsh/completions; appvars completion zsh > ~/.zsh/completions/_appvars
  fish    once:
          mkdir -p ~/.config/fish/completions
          appvars completion fish > ~/.config/fish/completions/appvars.fish

Example:
  source <(appvars completion bash)`;
