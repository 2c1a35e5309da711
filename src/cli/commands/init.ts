import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Command } from "commander";
import { shellWord } from "../../domain/shell.js";
import type { Context } from "../output/context.js";
import { absolutePath, type Io } from "../output/io.js";
import { printLines } from "../output/printer.js";
import { pasteLines } from "../serving/credentials.js";
import { addPlaceOptions } from "../settings/flags.js";
import { hasSetting, NO_LAYERS, type SourceFlags } from "../settings/layers.js";
import { PROJECT_FILE } from "../settings/project-file.js";
import { SOURCE_SETTINGS } from "../settings/setting-names.js";
import { readSettings, type Settings } from "../settings/settings.js";

export function initCommand(context: Context): Command {
  const command = new Command("init")
    .summary("create a data file, or the data of a store")
    .description(
      "Create a data file, or the data of an empty store, with the environments development, test and production, each " +
        "with new random credentials, and a few example variables. Prints the lines that configure a shell for " +
        "development, and notes what keeps the file out of git and makes it the default in this folder.",
    )
    .addHelpText("after", "\nExample:\n  appvars init --data vars.json")
    .action((flags: SourceFlags) => runInit(readSettings(flags, context.io), context));
  return addPlaceOptions(command);
}

async function runInit(settings: Settings, context: Context): Promise<void> {
  const { dataPlace: place } = settings;
  const { localData } = await import("../sources/open-local.js");
  const local = await localData(place, context.io);
  const warning = local.check("change");
  if (warning) context.warn(warning);
  const { data, message } = await local.create();
  context.note(message);
  const { environments } = data;
  if (place.kind === "file") await noteNextSteps(place.path, environments[0]?.name, settings, context);
  const json = { [place.kind === "file" ? "data" : "store"]: local.name, environments };
  printLines(context, { json, lines: pasteLines(undefined, environments[0], context.io) });
}

/** Each line is a command that can be pasted. */
async function noteNextSteps(
  path: string,
  env: string | undefined,
  settings: Settings,
  context: Context,
): Promise<void> {
  if (context.flags.quiet || context.flags.json) return;
  const state = await gitState(absolutePath(path, context.io), context.io);
  if (state !== "ignored") {
    const line = `/${basename(path).replace(/[\\*?[]/g, "\\$&")}`;
    const command = appendCommand(line, join(dirname(path), ".gitignore"));
    const reason =
      state === "exposed" ? "git does not ignore it, and a commit would contain them" : "keep it out of git";
    context.note(`${reason}: ${command}`);
  }
  // What is read without flags has been chosen.
  if (existsSync(PROJECT_FILE) || hasSetting({ ...settings.layers, flags: NO_LAYERS.flags }, ...SOURCE_SETTINGS))
    return;
  const project = printCommand(JSON.stringify({ data: path, env }));
  context.note(`to read it here without flags: ${project} > ${PROJECT_FILE} && appvars allow`);
}

/** A command for a shell that appends a line to a file, whether its last line has an end or not. */
function appendCommand(line: string, file: string): string {
  const command = existsSync(file) ? `printf '\\n%s\\n' ${shellWord(line)}` : printCommand(line);
  return `${command} >> ${shellWord(file)}`;
}

/** echo is the shorter one, but some shells interpret backslashes in its arguments. */
function printCommand(line: string): string {
  return `${line.includes("\\") ? "printf '%s\\n'" : "echo"} ${shellWord(line)}`;
}

/** Whether git ignores a file, or a commit could contain it; unknown without git or outside of a repository. */
async function gitState(path: string, { env }: Pick<Io, "env">): Promise<"ignored" | "exposed" | "unknown"> {
  const { spawn } = await import("node:child_process");
  // The configuration of a repository can name a program for this setting.
  const args = ["-c", "core.fsmonitor=false", "check-ignore", "--quiet", "--", basename(path)];
  const child = spawn("git", args, { cwd: dirname(path), env, stdio: "ignore" });
  const code = await new Promise((resolve) => child.on("error", resolve).on("close", resolve));
  if (code === 0) return "ignored";
  return code === 1 ? "exposed" : "unknown";
}
