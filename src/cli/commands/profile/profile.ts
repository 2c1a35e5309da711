import { Command } from "commander";
import { UsageError } from "../../../kit/text/errors.js";
import { listedProfile, type Profiles, readProfiles } from "../../../tasks/settings/profiles.js";
import type { Settings } from "../../../tasks/settings/resolve-settings.js";
import type { SourceFlags } from "../../../tasks/settings/setting-table.js";
import { profilesPath } from "../../../tasks/settings/settings-file.js";
import { refuseNoHome } from "../../../tasks/settings/user-folders.js";
import { addSettingOptions } from "../../arguments/source-flags.js";
import { type Context, printTable } from "../../output/context.js";

export function profileCommand(context: Context): Command {
  const list = new Command("list")
    .summary("list the profiles")
    .description("List the profiles; * marks the current one, which is used if none is named.")
    .addHelpText("after", "\nExample:\n  appvars profile list")
    .action(() => runProfileList(context));
  const use = new Command("use")
    .summary("make a profile the current one")
    .description("Make a profile the current one, which is used if none is named.")
    .argument("<name>", "name of the profile")
    .addHelpText("after", "\nExample:\n  appvars profile use staging")
    .action((name: string) => runProfileUse(name, context));
  const remove = new Command("remove")
    .summary("remove profiles and the secrets in them")
    .description("Remove profiles and the secrets in them, all of them or none.")
    .argument("<name...>", "names of profiles")
    .addHelpText("after", "\nExample:\n  appvars profile remove staging")
    .action((names: string[]) => runProfileRemove(names, context));
  const command = new Command("profile")
    .description("Named sets of settings, in a file that only you can read.")
    .addHelpText(
      "after",
      "\nExample:\n  appvars profile add staging --url https://vars.example --api-secret-file -",
    );
  for (const subcommand of [list, addCommand(context), use, remove]) command.addCommand(subcommand);
  return command;
}

function addCommand(context: Context): Command {
  const command = new Command("add")
    .summary("store a profile")
    .description(
      "Store a profile: the settings from the flags and, for a server, from APPVARS_URL, APPVARS_API_KEY and " +
        "APPVARS_API_SECRET or, for a store, from the APPVARS_STORE_* variables but the password; no others. Stores the " +
        "API secret itself, not the name of its file. First sends one request with the credentials, or opens the data " +
        "file or the store. The first profile becomes the current one.",
    )
    .argument("<name>", "name of the profile")
    .option("--force", "replace an existing profile")
    .option("--no-check", "store it without a check")
    .addHelpText(
      "after",
      "\nExample:\n  appvars profile add staging --url https://vars.example --api-secret-file -",
    )
    .action((name: string, { force = false, check, ...flags }) =>
      runProfileAdd(name, { force, check }, flags, context),
    );
  return addSettingOptions(command);
}

async function runProfileAdd(
  name: string,
  { force, check }: { force: boolean; check: boolean },
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const { addProfile } = await import("../../../tasks/settings/edit-profiles.js");
  const { newProfile, toProfile, trialSettings } = await import(
    "../../../tasks/settings/new-profile.js"
  );
  if (!/^\w[\w.-]{0,63}$/.test(name))
    throw new UsageError(
      "the name of a profile must be 1 to 64 letters, digits, _ . or -, and not begin with . or -",
    );
  // Before a secret is asked for, and a request is sent.
  addProfile(
    readProfiles(profilesPath(context.surroundings), context.surroundings),
    name,
    {},
    force,
  );
  const given = await newProfile(flags, context);
  if (check) await checkProfile(trialSettings(given, context), context);
  const { current } = await change(context, (profiles) =>
    addProfile(profiles, name, toProfile(given), force),
  );
  context.tell(`added the profile ${name}${current === name ? ", which is the current one" : ""}`);
}

/**
 * Sends one signed request, once; for local data, checks that it is valid and has the environment.
 */
async function checkProfile(settings: Settings, context: Context): Promise<void> {
  const { openSource, withSource } = await import("../../../tasks/sources/open-source.js");
  await withSource(openSource(settings, context), (source) => source.listVariables({ limit: 1 }));
  await settings.encryptionKey();
}

/** Lists them even if one of them, or the current one, is invalid. */
async function runProfileList(context: Context): Promise<void> {
  const { current, profiles } = readProfiles(
    profilesPath(context.surroundings),
    context.surroundings,
  );
  const rows = Object.entries(profiles).map(([name, settings]) =>
    listedProfile(name, name === current, settings),
  );
  const cells = rows.map(({ name, current, data, store, url, env, api_key }) => {
    const local = data ?? store;
    return [
      name,
      current ? "*" : "",
      local ?? url ?? "",
      (local === undefined ? api_key : env) ?? "",
    ];
  });
  const headings = ["NAME", "CURRENT", "SOURCE", "ENV OR API KEY"];
  const empty = "no profiles yet; see appvars profile add --help";
  await printTable(context, { json: rows, headings, rows: cells, empty });
}

async function runProfileUse(name: string, context: Context): Promise<void> {
  const { useProfile } = await import("../../../tasks/settings/edit-profiles.js");
  await change(context, (profiles) => useProfile(profiles, name));
  context.tell(`${name} is the current profile`);
  if (context.surroundings.env["APPVARS_PROFILE"])
    context.note("APPVARS_PROFILE is set, and overrides the current profile");
}

async function runProfileRemove(names: readonly string[], context: Context): Promise<void> {
  const { removeProfiles } = await import("../../../tasks/settings/edit-profiles.js");
  const { current } = readProfiles(profilesPath(context.surroundings), context.surroundings);
  await change(context, (profiles) => removeProfiles(profiles, names));
  context.tell(`removed ${names.join(", ")}`);
  if (current !== undefined && names.includes(current))
    context.tell("there is no current profile now");
}

/** Resolves to the profiles as they were written. */
async function change(
  { surroundings }: Context,
  edit: (profiles: Profiles) => Profiles,
): Promise<Profiles> {
  const { updateProfiles } = await import("../../../tasks/settings/edit-profiles.js");
  const path = profilesPath(surroundings);
  refuseNoHome(surroundings.folders);
  return updateProfiles(path, surroundings, edit);
}
