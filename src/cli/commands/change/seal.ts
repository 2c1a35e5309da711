import { UsageError } from "../../../kit/text/errors.js";
import { command } from "../../../kit/text/shell.js";
import { withKeyFile } from "../../../tasks/data/key-file.js";
import { openDataAccess } from "../../../tasks/data/open-data.js";
import {
  dataLocationOf,
  keyFileOf,
  locationName,
  parseDataLocation,
} from "../../../tasks/settings/connection.js";
import type { GivenFlags } from "../../../tasks/settings/setting-table.js";
import { defineCommand } from "../../arguments/command.js";
import { PROFILE, SEAL_KEY_FILE } from "../../arguments/source-flags.js";
import type { Context } from "../../output/context.js";
import { printLines } from "../../output/output.js";

const DATA_ARGUMENT = {
  "[data]": "a data file or the URL of a store (default: the configured one)",
} as const;

const FLAGS = { ...PROFILE, ...SEAL_KEY_FILE };

export const definition = defineCommand({
  description: `Encrypt the secrets in a data file, to keep it
    in git: API secrets, and values that are not public. Without
    a key, writes a new one to FILE.key, where all commands look
    for it. Seals the history too, but removes that of a store.
    The first of several keys seals: to rotate a key, write the
    new one above it, and seal again.`,
  arguments: DATA_ARGUMENT,
  flags: FLAGS,
  examples: ["appvars seal vars.json"],
  run: ({ data }, flags, context) => changeForm("sealed", data, flags, context),
});

export const unseal = defineCommand({
  description: `Write a sealed data file and its history with
    all secrets in plain text.`,
  arguments: DATA_ARGUMENT,
  flags: FLAGS,
  examples: ["appvars unseal vars.json"],
  run: ({ data }, flags, context) => changeForm("plain", data, flags, context),
});

async function changeForm(
  form: "sealed" | "plain",
  data: string | undefined,
  flags: GivenFlags,
  context: Context,
): Promise<void> {
  const settings = await context.settings(flags);
  const location =
    data === undefined ? dataLocationOf(settings) : parseDataLocation(data, "DATA", settings);
  // Refuses the file before a key is created.
  await openDataAccess(location, context, "change");
  const keyed = form === "sealed" ? await withKeyFile(location, context) : location;
  if (!keyed.sealKey) throw new UsageError("to unseal, use --seal-key-file or APPVARS_SEAL_KEY");
  const name = locationName(location);
  const isWritten = await (await openDataAccess(keyed, context)).writeAs(form);
  const key = keyed.sealKey.name === "sealKey" ? "APPVARS_SEAL_KEY" : keyed.sealKey.text;
  const history = location.kind === "etcd" ? "; its history begins with this" : "";
  const sealed = `${isWritten ? "now" : "already"} sealed with the first key of ${key}${history}`;
  const plain = isWritten ? "no longer sealed: its secrets are in plain text" : "not sealed";
  context.note(`${name} is ${form === "sealed" ? sealed : plain}`);
  if (form === "plain" && key === keyFileOf(name).text)
    context.note(
      `with a key, the file must be sealed; to remove the key, run: ${command`rm ${key}`}`,
    );
  const kind = location.kind === "file" ? "data" : "store";
  printLines(context, { json: { [kind]: name, sealed: form === "sealed" } });
}
