import { Command } from "commander";
import type { Context } from "../context.js";
import { escapeField } from "../escape.js";
import { listedProfile } from "../listed-profile.js";
import { type Profiles, profilesPath, readProfiles } from "../profiles.js";
import type { SourceFlags } from "../settings.js";
import { addSettingOptions } from "../source-options.js";
import { formatTable } from "../table.js";

export interface ProfileAddOptions {
  name: string;
  /** Whether a profile of that name is replaced. */
  force: boolean;
  /** Whether the settings are tried before they are stored. */
  check: boolean;
}

export function profileCommand(context: Context): Command {
  const list = new Command("list")
    .description("List the profiles; * marks the current one, which is taken where none is named.")
    .addHelpText("after", "\nExample:\n  appvars profile list")
    .action(() => runProfileList(context));
  const use = new Command("use")
    .description("Make a profile the current one, which is taken where none is named.")
    .argument("<name>", "name of the profile")
    .addHelpText("after", "\nExample:\n  appvars profile use staging")
    .action((name: string) => runProfileUse(name, context));
  const remove = new Command("remove")
    .description("Remove profiles and the secrets in them, all of them or none.")
    .argument("<name...>", "names of profiles")
    .addHelpText("after", "\nExample:\n  appvars profile remove staging")
    .action((names: string[]) => runProfileRemove(names, context));
  const command = new Command("profile")
    .summary("list, add, use and remove client profiles")
    .description("Named sets of settings, in a file that you alone can read.")
    .addHelpText("after", "\nExample:\n  appvars profile add staging --url https://vars.example --api-secret-file -");
  for (const subcommand of [list, addCommand(context), use, remove]) command.addCommand(subcommand);
  return command;
}

function addCommand(context: Context): Command {
  const command = new Command("add")
    .description(
      "Store a profile: what the flags give and, for a server, what APPVARS_URL, APPVARS_API_KEY and " +
        "APPVARS_API_SECRET give; no other setting. The secret itself is stored, not the name of its file. One " +
        "request tries the credentials first, or the data file is opened. The first profile becomes the current one.",
    )
    .argument("<name>", "name of the profile")
    .option("--force", "replace the profile of that name")
    .option("--no-check", "store it untried")
    .addHelpText("after", "\nExample:\n  appvars profile add staging --url https://vars.example --api-secret-file -")
    .action((name: string, { force = false, check, ...flags }) =>
      runProfileAdd({ name, force, check }, flags, context),
    );
  return addSettingOptions(command);
}

/** @throws UsageError for a name or a setting that can't be; what trying the settings throws; InvalidDataError */
export async function runProfileAdd(options: ProfileAddOptions, flags: SourceFlags, context: Context): Promise<void> {
  const { addProfile, checkProfileName, refuseExisting } = await import("../edit-profiles.js");
  const { checkProfile, newProfile, toProfile } = await import("../new-profile.js");
  const { name, force, check } = options;
  const path = profilesPath(context.io);
  checkProfileName(name);
  if (!force) refuseExisting(readProfiles(path), name);
  const layer = await newProfile(flags, context.io);
  if (check) await checkProfile(layer, context);
  await change(context, (profiles) => {
    if (!force) refuseExisting(profiles, name);
    return addProfile(profiles, name, toProfile(layer));
  });
  const isCurrent = readProfiles(path).current === name;
  context.tell(`added the profile ${name}${isCurrent ? ", which is the current one" : ""}`);
}

/** Lists them whatever is wrong in one of them, or with which one is current. @throws UsageError */
export async function runProfileList(context: Context): Promise<void> {
  const { current, profiles } = readProfiles(profilesPath(context.io));
  const rows = Object.entries(profiles).map(([name, settings]) => listedProfile(name, name === current, settings));
  if (context.flags.json) return context.printJson(rows);
  const cells = rows.map(({ name, current, data, url, env, api_key }) => {
    return [name, current ? "*" : "", data ?? url ?? "", (data === undefined ? api_key : env) ?? ""];
  });
  if (!context.io.stdout.isTTY) {
    return context.print(cells.map((row) => `${row.map(escapeField).join("\t")}\n`).join(""));
  }
  if (cells.length === 0) return context.note("no profiles yet; see appvars profile add --help");
  context.print(await formatTable(["NAME", "CURRENT", "SOURCE", "ENV OR API KEY"], cells, await context.colors()));
}

/** @throws NotFoundError, UsageError, InvalidDataError */
export async function runProfileUse(name: string, context: Context): Promise<void> {
  const { useProfile } = await import("../edit-profiles.js");
  await change(context, (profiles) => useProfile(profiles, name));
  context.tell(`${name} is the current profile`);
  if (context.io.env["APPVARS_PROFILE"])
    context.note("APPVARS_PROFILE is set, and is stronger than the current profile");
}

/** @throws NotFoundError when one of them is not there; UsageError, InvalidDataError */
export async function runProfileRemove(names: readonly string[], context: Context): Promise<void> {
  const { removeProfiles } = await import("../edit-profiles.js");
  const { current } = readProfiles(profilesPath(context.io));
  await change(context, (profiles) => removeProfiles(profiles, names));
  context.tell(`removed ${names.join(", ")}`);
  if (current !== undefined && names.includes(current)) context.tell("no profile is the current one now");
}

async function change({ io }: Context, edit: (profiles: Profiles) => Profiles): Promise<void> {
  const { updateProfiles } = await import("../update-profiles.js");
  const path = profilesPath(io);
  // What can't be done is refused before there is a folder or a lock.
  edit(readProfiles(path));
  await updateProfiles(path, edit);
}
