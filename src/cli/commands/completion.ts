import { readFile } from "node:fs/promises";
import { Argument, Command } from "commander";
import { describeCommands } from "../completion/command-table.js";
import { SHELL_NAMES, type ShellName, writeBranches } from "../completion/shells.js";
import { type Context, printRaw } from "../output/context.js";

/** @param buildWhole builds the program with all commands */
export function completionCommand(
  context: Context,
  packageFile: (path: string) => URL,
  buildWhole: () => Promise<Command>,
): Command {
  return new Command("completion")
    .description(
      "Print a script with which the Tab key completes commands, flags, files, profiles, environments and the names " +
        "of variables. Print it again after an update: it contains the commands and flags.",
    )
    .addArgument(new Argument(`<${SHELL_NAMES.join("|")}>`, "the shell").choices(SHELL_NAMES))
    .addHelpText("after", INSTALLING)
    .action(async (shell: ShellName) => {
      const template = await readFile(packageFile(`data/completion/appvars.${shell}`), "utf8");
      printRaw(context, { text: completionScript(shell, template, await buildWhole()) });
    });
}

/** The fixed part of a script, with the branches for the program's commands inserted. */
export function completionScript(shell: ShellName, template: string, program: Command): string {
  const branches = writeBranches(shell, describeCommands(program));
  // A function, since a dollar sign in a replacement text is special.
  return template.replace(/^[^@\n]*@BRANCHES@.*\n/m, () => branches);
}

const INSTALLING = `
Installing:
  bash    add to ~/.bashrc:  source <(appvars completion bash)
          with the bash 3.2 of macOS:  eval "$(appvars completion bash)"
          or once, with the package bash-completion:
          mkdir -p ~/.local/share/bash-completion/completions
          appvars completion bash > ~/.local/share/bash-completion/completions/appvars
  zsh     add to ~/.zshrc, after compinit:  source <(appvars completion zsh)
          or once, in a folder that is in $fpath before compinit:
          mkdir -p ~/.zsh/completions; appvars completion zsh > ~/.zsh/completions/_appvars
  fish    once:
          mkdir -p ~/.config/fish/completions
          appvars completion fish > ~/.config/fish/completions/appvars.fish

Example:
  source <(appvars completion bash)`;
