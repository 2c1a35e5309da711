import { locationName, parseDataLocation } from "../../../tasks/settings/connection.js";
import { defineCommand } from "../../arguments/command.js";
import { PROFILE, SEAL_KEY_FILE } from "../../arguments/source-flags.js";
import { printLines } from "../../output/output.js";

export const definition = defineCommand({
  description: `Copy everything, credentials included, between
    data files and stores in etcd. Each is a file or a URL:
    etcd://h1:2379,h2:2379/prefix, or etcds:// for TLS. TO must
    not exist, or hold the same data. --seal-key-file seals it.
    The history is copied to a file, but not to a store.`,
  arguments: {
    "<from>": "the data to copy",
    "<to>": "where to copy it",
  },
  flags: { ...PROFILE, ...SEAL_KEY_FILE },
  examples: ["appvars migrate vars.json etcd://127.0.0.1:2379/appvars"],
  async run(args, flags, context) {
    const settings = await context.settings(flags);
    const from = parseDataLocation(args.from, "FROM", settings);
    const to = parseDataLocation(args.to, "TO", settings);
    const { copyData } = await import("../../../tasks/data/copy-data.js");
    const { isWritten, counts } = await copyData(from, to, context);
    const [source, target] = [locationName(from), locationName(to)];
    const { environments, variables, values } = counts;
    const copied = `${environments} environments, ${variables} variables and ${values} values`;
    context.note(
      isWritten
        ? `copied ${copied} from ${source} to ${target}, and read them back`
        : `${target} already holds the same as ${source}: ${copied}; nothing was written`,
    );
    if (from.sealKey && !to.sealKey)
      context.warn(`${target} is not sealed: its secrets are in plain text`);
    printLines(context, { json: { from: source, to: target, written: isWritten, ...counts } });
  },
});
