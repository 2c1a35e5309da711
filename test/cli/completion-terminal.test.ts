import { copyFile, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { SHELL_NAMES, type ShellName } from "../../src/cli/completion/shells.js";
import { has } from "../formats/consumers.js";
import { DATA, DEVELOPMENT, edited } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { completionFolder, hasShell, SHELL_ARGS, wholeProgram } from "../support/shell-completion.js";
import { type Terminal, terminal } from "../support/terminal.js";

/** Made of two parts, so that the line which sets it is not taken for it. */
const PROMPT = "READY> ";
const SET_PROMPT: Record<ShellName, string> = {
  bash: "PS1='REA''DY> '",
  zsh: "PROMPT='REA''DY> '",
  fish: "function fish_prompt; echo -n 'REA''DY> '; end",
};

/** How a user has the shell load the script. */
const INSTALL: Record<ShellName, string> = {
  bash: "source <(appvars completion bash)",
  zsh: "autoload -Uz compinit && compinit -u -D; source <(appvars completion zsh)",
  fish: "appvars completion fish | source",
};

/** An interactive shell that completes appvars, in an empty folder. */
async function shellWithCompletion(
  shell: ShellName,
  env: Record<string, string> = {},
  install = INSTALL[shell],
): Promise<Terminal & { folder: string }> {
  const { path, script } = await completionFolder(shell, await wholeProgram());
  const folder = join(dirname(script), "empty");
  await mkdir(folder);
  const command = `cd '${folder}'; exec ${shell} ${SHELL_ARGS[shell].join(" ")} -i`;
  const tty = terminal(command, {
    HOME: dirname(script),
    INPUTRC: "/dev/null",
    HISTFILE: "/dev/null",
    fish_history: "",
    ...env,
    PATH: path,
    SCRIPT: script,
  });
  tty.type(`${install}; ${SET_PROMPT[shell]}\r`);
  await tty.until(new RegExp(PROMPT));
  return { ...tty, folder };
}

const NASTY_NAMES = [
  "$(touch pwned)",
  "`touch pwned`",
  "x;touch pwned;",
  "x' touch pwned '",
  'x" $(touch pwned) "',
  "a\\b c*?[x]{y}~",
  "a:b=c",
  "!!",
  "ünï ⚙",
];

for (const shell of SHELL_NAMES) {
  const missing = !hasShell(shell) || !has("script", "--version");
  const why = "skipped without it or without script of util-linux";

  it.skipIf(missing)(`${shell} completes a command, a flag and a name on a terminal (${why})`, async () => {
    const { url } = await runningServer();
    const env = { APPVARS_URL: url, APPVARS_API_KEY: DEVELOPMENT.apiKey, APPVARS_API_SECRET: DEVELOPMENT.apiSecret };
    const tty = await shellWithCompletion(shell, env);
    tty.type("appvars ge\t--jso\tDATAB\t\r");
    await tty.until(/"postgres:\/\/localhost\/dev"\]?[\s\S]*READY> /);
    tty.type("appvars expo\t--format=yam\t\r");
    await tty.until(/DATABASE_URL: [\s\S]*READY> /);
  });

  it.skipIf(missing)(`${shell} completes files as it always does (${why})`, async () => {
    const { path } = await dataFile(DATA);
    const tty = await shellWithCompletion(shell);
    await copyFile(path, join(tty.folder, "my vars.json"));
    for (const data of ["--data my\t", "--data=my\t"]) {
      tty.type(`appvars get ${data} --env shop/dev\tDATAB\t\r`);
      await tty.until(/postgres:\/\/localhost\/dev[\s\S]*READY> /);
    }
  });

  it.skipIf(missing)(`${shell} takes names from a stranger for nothing but names (${why})`, async () => {
    const tty = await shellWithCompletion(shell);
    for (const name of NASTY_NAMES) {
      const { path } = await dataFile(fileWithEnvironment(name));
      await copyFile(path, join(tty.folder, "vars.json"));
      for (const typed of [`--env ${name.match(/^\w*/)}`, `--env=${name.match(/^\w*/)}`]) {
        // After a ; or ` bash looks for a new command, even where it is quoted, and asks no script about the old one.
        const variable = shell === "bash" ? "DATABASE_URL" : "DATA\t";
        tty.type(`appvars get --data vars.json ${typed}\t${variable}\r`);
        await tty.until(/postgres:\/\/localhost\/test[\s\S]*READY> /);
      }
    }
    expect(await readdir(tty.folder)).toEqual(["vars.json"]);
  });
}

/** One environment, which has a value for DATABASE_URL. */
function fileWithEnvironment(name: string): unknown {
  return edited((data) => {
    data.environments = [{ ...data.environments[1], name }];
    data.values = data.values.filter(({ environment_id }: { environment_id: number }) => environment_id === 2);
  });
}

it.skipIf(!hasShell("zsh") || !has("script", "--version"))(
  "zsh loads the script by itself from a folder of $fpath (skipped without it or without script of util-linux)",
  async () => {
    const install =
      'mkdir f && cp "$SCRIPT" f/_appvars && fpath=($PWD/f $fpath) && autoload -Uz compinit && compinit -u -D';
    const tty = await shellWithCompletion("zsh", {}, install);
    tty.type("appvars completi\tba\t| head -n 1\r");
    await tty.until(/# Completion of appvars for bash[\s\S]*READY> /);
    tty.type("appvars completi\tfi\t| head -n 1\r");
    await tty.until(/# Completion of appvars for fish[\s\S]*READY> /);
  },
);
