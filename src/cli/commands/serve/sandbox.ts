import { loadWindowsSupport, startChild } from "../../../kit/process/child.js";
import type { ChildEnvironment } from "../../../kit/process/program.js";
import { supervise } from "../../../kit/process/supervise.js";
import { filterEnvironment } from "../../../tasks/run/child-environment.js";
import { locationName } from "../../../tasks/settings/connection.js";
import { SETTING_NAMES, SETTINGS } from "../../../tasks/settings/setting-table.js";
import type { Surroundings } from "../../../tasks/surroundings.js";
import { defineCommand } from "../../arguments/command.js";
import { requireValid } from "../../arguments/flag-arguments.js";
import { allowReserved } from "../../arguments/selection-flags.js";
import { SEAL_KEY_FILE } from "../../arguments/source-flags.js";
import type { Sandbox } from "./open-sandbox.js";
import { RATE_LIMIT } from "./serve-arguments.js";

export const definition = defineCommand({
  description: `Start a server on a free loopback port with
    throwaway credentials, run the command with APPVARS_URL,
    APPVARS_API_KEY and APPVARS_API_SECRET set, and stop the
    server when the command ends. Exits with the command's exit
    code. The server has a copy in memory of example data, a
    file or a store; the command can't change the original or
    see its credentials. Leaves out variables with reserved
    names, which can make programs run other code, with a
    warning.`,
  usage: "[options] -- <command...>",
  arguments: { "<command...>": "the command and its arguments" },
  flags: {
    "--data <file>": "serve the variables of this data file (default: those of init --example)",
    "--store <url>": "serve the variables of this store",
    ...SEAL_KEY_FILE,
    "-e, --env <name>": "environment of the credentials (default: the only one, or development)",
    ...allowReserved("serve"),
    "Faults, to test clients with:": "",
    "--latency <ms>": {
      help: "delay each answer, by a random time for 100-500",
      parse: parseLatency,
    },
    "--fail-rate <share>": {
      help: "answer this share of requests with 503, from 0 to 1",
      parse: parseShare,
    },
    ...RATE_LIMIT,
    "--clock-skew <seconds>": {
      help: "set the server's clock ahead, or back with a negative number",
      parse: parseSkew,
    },
  },
  examples: [
    "appvars sandbox -- npm test",
    "appvars sandbox --data vars.json --fail-rate 0.2 -- npm test",
  ],
  async run({ command }, { data, store, sealKeyFile, ...flags }, context) {
    const { env: name, allowReserved = [], rateLimit, ...faults } = flags;
    // Only flags name the data. Other settings of a store may come from
    // anywhere.
    const location =
      (data ?? store) === undefined
        ? undefined
        : await context.location({ data, store, sealKeyFile });
    const options = { location, env: name, allowReserved, ...rateLimit, faults };
    const { openSandbox } = await import("./open-sandbox.js");
    const { surroundings } = context;
    const windows = await loadWindowsSupport(surroundings.platform);
    const sandbox = await openSandbox(options, context);
    try {
      const source = location ? locationName(location) : "example data";
      context.tell(`serving ${source} on ${sandbox.url} until the command ends`);
      const env = sandboxEnvironment(surroundings.env, sandbox);
      const caller = { ...surroundings, warn: context.warn };
      const start = () =>
        startChild(command, env, caller, {
          endsDescendants: true,
          windows,
        });
      context.exitCode = await supervise(undefined, start).exitCode;
    } finally {
      await sandbox.close();
    }
  },
});

/** `100`, or `100-500` for a random time in between, in milliseconds. */
export function parseLatency(text: string): { least: number; most: number } {
  const [, min, max = min] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  const latency = { least: Number(min), most: Number(max) };
  const rule = "milliseconds such as 100, or a range such as 100-500";
  return requireValid(latency, latency.least <= latency.most, rule);
}

export function parseShare(text: string): number {
  const share = /^(?:\d+|\d*\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return requireValid(share, share <= 1, "a share from 0 to 1, such as 0.25");
}

/** `400` or `-400`: whole seconds, up to about three years. */
export function parseSkew(text: string): number {
  const rule = "whole seconds such as 400, or -400 for a clock that is behind";
  return requireValid(Number(text), /^[+-]?\d{1,8}$/.test(text), rule);
}

const HARMLESS = ["encKey", "timeout", "maxWait"];

/** Variables that select another source, or hold credentials. */
const MISLEADING = SETTING_NAMES.filter((name) => !HARMLESS.includes(name)).map(
  (name) => SETTINGS[name].variable,
);

function sandboxEnvironment(
  env: Surroundings["env"],
  { url, apiKey, apiSecret }: Sandbox,
): ChildEnvironment {
  const others = filterEnvironment(env, (name) => !MISLEADING.includes(name.toUpperCase()));
  return {
    ...others,
    APPVARS_URL: url,
    APPVARS_API_KEY: apiKey,
    APPVARS_API_SECRET: apiSecret,
  };
}
