import { readFile } from "node:fs/promises";
import { packageFile } from "../../../kit/files/package-file.js";
import { type Command, defineCommand } from "../../arguments/command.js";
import { describeCommands } from "../../completion/command-table.js";
import { SHELL_NAMES, type ShellName, writeBranches } from "../../completion/shells.js";
import { printRaw } from "../../output/output.js";

export const definition = defineCommand({
  description: `Print a script that completes commands, flags,
    files, profiles, environments and names of variables with
    Tab. It contains the commands and flags: print it again
    after an update.`,
  arguments: { "<bash|zsh|fish>": { help: "the shell", choices: SHELL_NAMES } },
  details: `\
Installing:
  bash    add to ~/.bashrc:  source <(appvars completion bash)
          with the bash 3.2 of macOS:  eval "$(appvars completion bash)"
  zsh     add to ~/.zshrc, after compinit:  source <(appvars completion zsh)
  fish    once:  appvars completion fish > ~/.config/fish/completions/appvars.fish`,
  examples: ["source <(appvars completion bash)"],
  async run({ "bash|zsh|fish": shell }, _, context, all) {
    const template = await readFile(packageFile(`data/completion/appvars.${shell}`), "utf8");
    printRaw(context, { text: completionScript(shell, template, await all()) });
  },
});

/** The fixed part of a script, with the branches for all commands inserted. */
export function completionScript(shell: ShellName, template: string, all: Command): string {
  const branches = writeBranches(shell, describeCommands(all));
  // A function, since a dollar sign in a replacement text is special.
  return template.replace(/^[^@\n]*@BRANCHES@.*\n/m, () => branches);
}
