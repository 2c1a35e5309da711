import { existsSync } from "node:fs";
import { InvalidDataError, UsageError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import type { Data } from "../../store/data.js";
import { isSameData } from "../../store/history.js";
import type { LocalData } from "../../tasks/data/local-data.js";
import { localData, readData, readHistory } from "../../tasks/data/open-data.js";
import { isSameFile } from "../../tasks/files/safe-files.js";
import { type DataPlace, dataPlaceName } from "../../tasks/settings/connection.js";
import { readSettings } from "../../tasks/settings/resolve-settings.js";
import { defineCommand } from "../arguments/command.js";
import { PROFILE, SEAL_KEY_FILE } from "../arguments/source-flags.js";
import { type Context, printLines } from "../output/context.js";

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
    const settings = readSettings(flags, context);
    const from = settings.placeNamed(args.from, "FROM");
    const to = settings.placeNamed(args.to, "TO");
    if (from.kind === "file" && to.kind === "file" && (await isSameFile(from.path, to.path)))
      throw new UsageError("FROM and TO are the same file");
    const target = await localData(to, context, "change");
    // The keys may be for the copy alone.
    const source = from.kind === "file" ? { ...from, mayBePlain: true as const } : from;
    await readHistory(source, context, async (history) => {
      const { data } = history;
      const isWritten = await createIfMissing(target, data, to);
      // The copy is read back.
      if (!isSameData(data, await readData(to, context))) throw otherDataError(to, isWritten);
      await target.copyHistory(history);
      report(data, from, to, isWritten, context);
    });
  },
});

/** Resolves to `false` if TO exists already. */
async function createIfMissing(target: LocalData, data: Data, to: DataPlace): Promise<boolean> {
  if (to.kind === "file" && existsSync(to.path)) return false;
  try {
    await target.create(data);
    return true;
  } catch (error) {
    // Only creating a store's data shows that it has some.
    if (to.kind === "store" && error instanceof InvalidDataError) return false;
    throw error;
  }
}

function otherDataError(to: DataPlace, isWritten: boolean): InvalidDataError {
  const name = dataPlaceName(to);
  if (isWritten)
    return new InvalidDataError(`${name} was written, but another program has changed it since`);
  const advice =
    to.kind === "file"
      ? "name another file, or move this one away"
      : `name another prefix, or remove the data with ${command`etcdctl del --prefix ${to.address.prefix}`}`;
  return new InvalidDataError(`${name} holds other data, and was not changed: ${advice}`);
}

function report(
  data: Data,
  from: DataPlace,
  to: DataPlace,
  isWritten: boolean,
  context: Context,
): void {
  const [source, target] = [dataPlaceName(from), dataPlaceName(to)];
  const lists = [data.environments, data.variables, data.values];
  const [environments, variables, values] = lists.map(({ length }) => length);
  const counts = `${environments} environments, ${variables} variables and ${values} values`;
  context.note(
    isWritten
      ? `copied ${counts} from ${source} to ${target}, and read them back`
      : `${target} holds the same as ${source} already: ${counts}; nothing was written`,
  );
  if (from.sealKey && !to.sealKey)
    context.warn(`${target} is not sealed: its secrets are in clear`);
  const json = {
    from: source,
    to: target,
    written: isWritten,
    environments,
    variables,
    values,
  };
  printLines(context, { json });
}
