import { printable } from "../../kit/text/printable.js";
import { findEnvironment, shortestName } from "../../model/environment.js";
import { type Data, NO_DATA } from "../../store/data.js";
import { openWithoutKeys, readDataFile } from "../../store/file/data-file.js";
import { connectionOf, dataLocationOf } from "../../tasks/settings/connection.js";
import { readProfiles } from "../../tasks/settings/profiles.js";
import { readSettings, type Settings } from "../../tasks/settings/resolve-settings.js";
import type { GivenFlags } from "../../tasks/settings/setting-table.js";
import { profilesPath } from "../../tasks/settings/settings-file.js";
import type { Caller } from "../../tasks/surroundings.js";
import { splitWords } from "../arguments/parse-line.js";
import { SOURCE_FLAGS } from "../arguments/source-flags.js";
import { createContext, type Io } from "../output/context.js";
import { writeRaw } from "../output/output.js";

/** A word to offer and its description, maybe from an untrusted file. */
type Offer = readonly [word: string, description: string];

/** Finds the offers of a kind, without reading anything over the network. */
const FINDERS: Record<string, (flags: GivenFlags, caller: Caller) => Promise<Offer[]>> = {
  names: findNames,
  "file-names": (flags, caller) => findVariables(readSettings(flags, caller)),
  environments: async (flags, caller) => {
    const { environments } = await readData(readSettings(flags, caller));
    return environments.map((environment) => [
      shortestName(environment, environments),
      environment.application,
    ]);
  },
  profiles: async (_, { surroundings }) => {
    const { profiles } = readProfiles(profilesPath(surroundings), surroundings);
    return Object.entries(profiles).map(([name, { url, data, store }]) => [
      name,
      String(url ?? data ?? store ?? ""),
    ]);
  },
};

/**
 * `appvars __complete KIND PREFIX WORD…`, called by completion scripts: prints
 * the names of a kind with a prefix, given the words of the command line so
 * far; one per line, each with a tab and a description. No help lists it. It
 * never reads stdin, and prints nothing when anything fails.
 */
export async function quickComplete(argv: readonly string[], io: Io): Promise<number> {
  const [, kind = "", prefix = "", ...words] = argv;
  const caller = createContext(io, { color: false, quiet: true });
  try {
    const offers = (await FINDERS[kind]?.(parseFlags(words, caller.surroundings), caller)) ?? [];
    const offered = offers.filter(([word]) => word.startsWith(prefix) && isOfferable(word));
    writeRaw(
      io.stdout,
      offered.map(([word, description]) => `${word}\t${printable(description)}\n`).join(""),
    );
  } catch {
    // The user is typing a command: a message would end up in the middle of it.
  }
  return 0;
}

/** Refuses words that look like a flag, or that escaping would change. */
function isOfferable(word: string): boolean {
  return /^[^-]/.test(word) && printable(word) === word;
}

function parseFlags(words: string[], { env }: Caller["surroundings"]): GivenFlags {
  // The shell has not expanded it yet.
  const expand = (text?: string) => text?.replace(/^~(?=\/)/, env["HOME"] ?? "~");
  const { flags } = splitWords(words, { flags: SOURCE_FLAGS });
  return Object.fromEntries(
    flags.flatMap(({ row, value }) => (row ? [[row.name, expand(value)]] : [])),
  );
}

async function findNames(flags: GivenFlags, caller: Caller): Promise<Offer[]> {
  const settings = readSettings(flags, caller);
  return connectionOf(settings).kind === "data" ? findVariables(settings) : [];
}

/**
 * The variables of the environment's application or, without an environment, of
 * all applications.
 */
async function findVariables(settings: Settings): Promise<Offer[]> {
  const { environments, variables } = await readData(settings);
  const environment = settings.find("env")?.text;
  const application = environment && findEnvironment(environments, environment).application;
  const own = variables.filter(
    (variable) => application === undefined || variable.application === application,
  );
  return [...new Map(own.map(({ name, description }) => [name, description]))];
}

/** Reads the data file, not a store, which may take long to answer. */
async function readData(settings: Settings): Promise<Data> {
  const location = dataLocationOf(settings);
  if (location.kind === "etcd") return NO_DATA;
  return readDataFile(location.path, { open: openWithoutKeys });
}
