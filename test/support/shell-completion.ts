import { spawnSync } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "../../src/cli/arguments/command.js";
import { loadAll } from "../../src/cli/command-registry.js";
import { completionScript } from "../../src/cli/commands/settings/completion.js";
import type { ShellName } from "../../src/cli/completion/shells.js";
import { BINARY, run } from "./binary.js";
import { temporaryFolder } from "./temporary-folder.js";

/** The arguments that start each shell without any configuration. */
export const SHELL_ARGS: Record<ShellName, readonly string[]> = {
  bash: ["--norc", "--noprofile"],
  zsh: ["-f"],
  fish: ["--no-config"],
};

/** Whether this machine has the shell; otherwise its tests are skipped. */
export function hasShell(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"], { stdio: "ignore" }).status === 0;
}

/** A folder with the script of the shell and a command called appvars in it. */
export async function completionFolder(
  shell: ShellName,
  program: Command,
): Promise<{ script: string; path: string }> {
  const folder = await temporaryFolder();
  const script = join(folder, `script.${shell}`);
  const template = new URL(`../../data/completion/appvars.${shell}`, import.meta.url);
  await writeFile(script, completionScript(shell, await readFile(template, "utf8"), program));
  const command = join(folder, "appvars");
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  await chmod(command, 0o755);
  return { script, path: `${folder}${delimiter}${process.env["PATH"]}` };
}

/**
 * The candidates of Tab after each of these lines in a real shell; zsh and fish add a tab and a
 * description.
 */
export async function offered(
  shell: ShellName,
  lines: readonly string[],
  { env = {}, program }: { env?: Record<string, string>; program?: Command } = {},
): Promise<Map<string, string[]>> {
  const { script, path } = await completionFolder(shell, program ?? (await loadAll()));
  const capture = fileURLToPath(new URL(`capture.${shell}`, import.meta.url));
  const input = join(script, "..", "lines");
  await writeFile(input, lines.map((line) => `${line}\n`).join(""));
  const command = `exec "$0" "$@" <'${input}'`;
  const { stdout, stderr } = await run(
    "sh",
    ["-c", command, shell, ...SHELL_ARGS[shell], capture, script],
    {
      LANG: "C.UTF-8",
      HOME: join(script, ".."),
      ...env,
      PATH: path,
    },
  );
  if (stderr !== "") throw new Error(`${shell}: ${stderr}`);
  const answers = stdout.split(/^> /m).slice(1);
  return new Map(
    answers.map((answer) => {
      const [line = "", ...words] = answer.split("\n");
      return [line, words.filter((word) => word !== "")];
    }),
  );
}
