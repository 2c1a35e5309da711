import { refuseNoHome } from "../../../kit/process/this-process.js";
import { UsageError } from "../../../kit/text/errors.js";
import { listedProfile, type Profiles, readProfiles } from "../../../tasks/settings/profiles.js";
import { profilesPath } from "../../../tasks/settings/settings-file.js";
import { type Command, defineCommand } from "../../arguments/command.js";
import { PROFILE_SETTING_FLAGS } from "../../arguments/source-flags.js";
import type { Context } from "../../output/context.js";
import { printTable } from "../../output/output.js";

const loadEdits = () => import("../../../tasks/settings/edit-profiles.js");

const list = defineCommand({
  description: `List the profiles; * marks the current one,
    which is used if none is named.`,
  examples: ["appvars profile list"],
  async run(_args, _flags, context) {
    const { current, profiles } = profilesOf(context);
    const json = Object.entries(profiles).map(([name, settings]) =>
      listedProfile(name, name === current, settings),
    );
    const rows = json.map(({ name, current, data, store, url = "", env, api_key }) => {
      const local = data ?? store;
      const key = local === undefined ? api_key : env;
      return [name, current ? "*" : "", local ?? url, key ?? ""];
    });
    await printTable(context, {
      json,
      headings: ["NAME", "CURRENT", "SOURCE", "ENV OR API KEY"],
      rows,
      empty: "no profiles yet; see appvars profile add --help",
    });
  },
});

const ADDING = "appvars profile add staging --url https://vars.example --api-secret-file -";

const add = defineCommand({
  description: `Store a profile: the settings of the flags and,
    for a server, of APPVARS_URL, APPVARS_API_KEY and
    APPVARS_API_SECRET or, for a store, of the APPVARS_STORE_*
    variables except the password. Stores the API secret itself,
    not the name of its file. First sends one request with the
    credentials, or opens the data file or the store. The first
    profile becomes the current one.`,
  arguments: { "<name>": "name of the profile" },
  flags: {
    "--force": "replace an existing profile",
    "--no-check": "store it without trying it",
    ...PROFILE_SETTING_FLAGS,
  },
  examples: [ADDING],
  async run({ name }, { force = false, check = true, ...flags }, context) {
    const { addProfile, newProfile, toProfile, trialSettings } = await loadEdits();
    if (!/^\w[\w.-]{0,63}$/.test(name))
      throw new UsageError(
        "the name of a profile must be 1 to 64 letters, digits, _ . or -, and not begin with . or -",
      );
    // Refuses the name before a secret is asked for, and a request is sent.
    addProfile(profilesOf(context), name, {}, force);
    const given = await newProfile(flags, context);
    if (check) {
      // One signed request or, for local data, one read of its environment.
      const { openSource, withSource } = await import("../../../tasks/sources/open-source.js");
      const settings = trialSettings(given, context);
      await withSource(openSource(settings, context), (source) =>
        source.listVariables({ limit: 1 }),
      );
      await settings.secret("encKey");
    }
    const { current } = await change(context, (profiles) =>
      addProfile(profiles, name, toProfile(given), force),
    );
    const role = current === name ? ", which is the current one" : "";
    context.tell(`added the profile ${name}${role}`);
  },
});

const use = defineCommand({
  description: "Make a profile the current one, which is used if none is named.",
  arguments: { "<name>": "name of the profile" },
  examples: ["appvars profile use staging"],
  async run({ name }, _, context) {
    const { useProfile } = await loadEdits();
    await change(context, (profiles) => useProfile(profiles, name));
    context.tell(`${name} is the current profile`);
    if (context.surroundings.env["APPVARS_PROFILE"])
      context.note("APPVARS_PROFILE is set, and overrides the current profile");
  },
});

const remove = defineCommand({
  description: "Remove profiles and the secrets in them, all of them or none.",
  arguments: { "<name...>": "names of profiles" },
  examples: ["appvars profile remove staging"],
  async run({ name: names }, _, context) {
    const { removeProfiles } = await loadEdits();
    let current: string | undefined;
    await change(context, (profiles) => {
      current = profiles.current;
      return removeProfiles(profiles, names);
    });
    context.tell(`removed ${names.join(", ")}`);
    if (current !== undefined && names.includes(current))
      context.tell("there is no current profile now");
  },
});

export const definition: Command = {
  description: "Named sets of settings, in a file that only you can read.",
  examples: [ADDING],
  commands: { list, add, use, remove },
};

function profilesOf({ surroundings }: Context): Profiles {
  return readProfiles(profilesPath(surroundings), surroundings);
}

async function change(
  { surroundings }: Context,
  edit: (profiles: Profiles) => Profiles,
): Promise<Profiles> {
  const { updateProfiles } = await loadEdits();
  const path = profilesPath(surroundings);
  refuseNoHome(surroundings.folders);
  return updateProfiles(path, surroundings, edit);
}
