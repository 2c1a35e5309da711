import { DEFAULT_DATA_FILE } from "../../tasks/settings/setting-table.js";
import { ENVIRONMENT, PROFILE, SEAL_KEY_FILE } from "./source-flags.js";

export const APPLICATION = {
  "--application <application>": "the application of the variable, if more than one has the name",
} as const;

export const DRY_RUN = { "--dry-run": "print the changes without making them" } as const;

/** The flags of commands whose changes `updateData` makes or prints. */
export const CHANGE_FLAGS = {
  ...DRY_RUN,
  "--values": "with --dry-run, print the values too",
} as const;

/** Which data a command creates, serves or changes. */
export const LOCATION_FLAGS = {
  "--data <file>": `the data file (APPVARS_DATA, default ${DEFAULT_DATA_FILE})`,
  "--store <url>": "or the store: etcd://h1:2379,h2:2379/prefix (APPVARS_STORE)",
  ...SEAL_KEY_FILE,
} as const;

/** `--env`, which can be repeated: its value is a list. */
export const ENVIRONMENTS = {
  "-e, --env <name>": {
    help: ENVIRONMENT["-e, --env <name>"],
    repeatable: true,
  },
} as const;

/** Which environment of which data a command changes. */
export const DATA_FLAGS = { "Data:": "", ...PROFILE, ...LOCATION_FLAGS, ...ENVIRONMENT } as const;

/** Which environments of which data `updateEnvironments` changes. */
export const ENVIRONMENTS_FLAGS = {
  ...DATA_FLAGS,
  ...ENVIRONMENTS,
  "--all-envs": { help: "all environments of the application", conflicts: ["env"] },
  "--application <application>": {
    help: APPLICATION["--application <application>"],
    conflicts: ["env"],
  },
} as const;
