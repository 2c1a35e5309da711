import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { loadAll } from "../../src/cli/command-registry.js";
import { SHELL_NAMES, type ShellName } from "../../src/cli/completion/shells.js";
import { has } from "../formats/consumers.js";
import { BINARY } from "../support/binary.js";
import { DATA, edited } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { completionFolder, hasShell, SHELL_ARGS } from "../support/shell-completion.js";
import { type Terminal, terminal } from "../support/terminal.js";

/** Made of two parts, so that the line that sets it does not match it. */
const PROMPT = "READY> ";
const SET_PROMPT: Record<ShellName, string> = {
  bash: "PS1='REA''DY> '",
  zsh: "PROMPT='REA''DY> '",
  fish: "function fish_prompt; echo -n 'REA''DY> '; end",
};

/** How a user loads the script. */
const INSTALL: Record<ShellName, string> = {
  bash: "source <(appvars completion bash)",
  zsh: "autoload -Uz compinit && compinit -u -D; source <(appvars completion zsh)",
  fish: "appvars completion fish | source",
};

/** An interactive shell with completion for appvars, in an empty folder. */
async function shellWithCompletion(
  shell: ShellName,
  env: Record<string, string> = {},
  install = INSTALL[shell],
): Promise<Terminal & { folder: string }> {
  const { path, script } = await completionFolder(shell, await loadAll());
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

  it.skipIf(missing)(
    `${shell} completes a command, a flag and a name on a terminal (${why})`,
    async () => {
      const env = { APPVARS_DATA: (await dataFile(DATA)).path, APPVARS_ENV: "shop/development" };
      const tty = await shellWithCompletion(shell, env);
      tty.type("appvars ge\t--jso\tDATAB\t\r");
      await tty.until(/"postgres:\/\/localhost\/dev"\]?[\s\S]*READY> /);
      tty.type("appvars expo\t--format=yam\t\r");
      await tty.until(/DATABASE_URL: [\s\S]*READY> /);
    },
  );

  it.skipIf(missing)(`${shell} completes files (${why})`, async () => {
    const { path } = await dataFile(DATA);
    const tty = await shellWithCompletion(shell);
    await copyFile(path, join(tty.folder, "my vars.json"));
    for (const data of ["--data my\t", "--data=my\t"]) {
      tty.type(`appvars get ${data} --env shop/dev\tDATAB\t\r`);
      await tty.until(/postgres:\/\/localhost\/dev[\s\S]*READY> /);
    }
  });

  it.skipIf(missing).each(["--env ", "--env="])(
    `${shell} never runs the name of an environment as code after %s (${why})`,
    async (flag) => {
      const tty = await shellWithCompletion(shell);
      await printArgumentsOfGet(tty.folder);
      for (const name of NASTY_NAMES) {
        await writeFile(join(tty.folder, "vars.json"), JSON.stringify(fileWithEnvironment(name)));
        tty.type(`appvars get --data vars.json ${flag}${name.match(/^\w*/)}\t\r`);
        await tty.until(
          new RegExp(
            `got <(--env=)?${name.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")}>[\\s\\S]*READY> `,
          ),
        );
      }
      expect(await readdir(tty.folder)).toEqual(["vars.json"]);
    },
  );
}

/**
 * Replaces the command `get` by one that prints its arguments, as the shell has split the completed
 * line.
 */
async function printArgumentsOfGet(folder: string): Promise<void> {
  const script = `#!/bin/sh
if [ "$1" = get ]; then printf 'got <%s>\\n' "$@"; exit; fi
exec '${process.execPath}' '${BINARY}' "$@"
`;
  await writeFile(join(dirname(folder), "appvars"), script);
}

/** Data with one environment. */
function fileWithEnvironment(name: string): unknown {
  return edited((data) => {
    data.environments = [{ ...data.environments[1], name }];
    data.values = data.values.filter(
      ({ environment_id }: { environment_id: number }) => environment_id === 2,
    );
  });
}

it.skipIf(!hasShell("zsh") || !has("script", "--version"))(
  "zsh loads the completion script from a folder of $fpath (skipped without it or without script of util-linux)",
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
