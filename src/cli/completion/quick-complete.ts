import { statSync } from "node:fs";
import { printable } from "../../domain/printable.js";
import { readAll } from "../../domain/source.js";
import type { Io } from "../output/io.js";
import { writeRaw } from "../output/output.js";
import { openRemote } from "../reading/open-remote.js";
import type { RemoteSettings } from "../settings/connection.js";
import { parseWords } from "../settings/parse-words.js";
import { profilesPath, readProfiles } from "../settings/profiles.js";
import type { SourceFlags } from "../settings/setting.js";
import { readSettings, type Settings } from "../settings/settings.js";
import type { Found } from "./found-in-file.js";

/** Seconds that completion waits for one response, and for all of them. */
const ONE_RESPONSE_S = 0.5;
const ALL_RESPONSES_S = 0.7;

/** By the kind in the first argument. What only some of them need is loaded there: this file is part of every start. */
const FINDERS: Record<string, (flags: SourceFlags, io: Io) => Promise<Found[]>> = {
  names: findNames,
  "reserved-names": async (flags, io) => {
    const { isReservedName } = await import("../../domain/reserved-names.js");
    return (await findNames(flags, io)).filter(([name]) => isReservedName(name));
  },
  "file-names": async (flags, io) => {
    const { findVariables } = await import("./found-in-file.js");
    const settings = readSettings(flags, io);
    return findVariables(settings.dataPlace, settings.find("env")?.text);
  },
  environments: async (flags, io) =>
    (await import("./found-in-file.js")).findEnvironments(readSettings(flags, io).dataPlace),
  profiles: async (_, io) => {
    const { profiles } = readProfiles(profilesPath(io), io);
    return Object.entries(profiles).map(([name, { url, data, store }]) => [name, String(url ?? data ?? store ?? "")]);
  },
};

/**
 * `appvars __complete KIND PREFIX WORD…`, called by completion scripts: prints what exists of a kind and begins with the
 * prefix, given the words of the command line so far; one per line, each with a tab and a description. No help lists it.
 * It never reads stdin, and prints nothing when anything fails.
 */
export async function quickComplete(argv: readonly string[], io: Io): Promise<number> {
  const [, kind = "", prefix = "", ...words] = argv;
  try {
    const found = (await FINDERS[kind]?.(parseFlags(words, io), io)) ?? [];
    const offered = found.filter(([word]) => word.startsWith(prefix) && isOfferable(word));
    writeRaw(io.stdout, offered.map(([word, description]) => `${word}\t${printable(description)}\n`).join(""));
  } catch {
    // The user is typing a command: a message would end up in the middle of it.
  }
  return 0;
}

/** Not a word that contains a line break, looks like a flag or would need escaping: an escaped word is a wrong one. */
function isOfferable(word: string): boolean {
  return /^[^-]/.test(word) && printable(word) === word;
}

function parseFlags(words: string[], { env }: Io): SourceFlags {
  const { flags } = parseWords(words, {}, false);
  // The shell has not expanded it yet.
  const expand = (text: unknown) => (typeof text === "string" ? text.replace(/^~(?=\/)/, env["HOME"] ?? "~") : text);
  return Object.fromEntries(Object.entries(flags).map(([name, text]) => [name, expand(text)]));
}

async function findNames(flags: SourceFlags, io: Io): Promise<Found[]> {
  const settings = readSettings(flags, io);
  const { connection } = settings;
  if (connection.kind === "remote") return findRemoteNames(connection, settings, io);
  const { findVariables } = await import("./found-in-file.js");
  return findVariables(connection.place, connection.env);
}

async function findRemoteNames(connection: RemoteSettings, settings: Settings, io: Io): Promise<Found[]> {
  const { apiSecret, caFile, clientCert, clientKey } = connection;
  const secretFile = apiSecret?.name === "apiSecretFile" ? apiSecret.text : undefined;
  if (
    ![secretFile, caFile?.text, clientCert?.text, clientKey?.text].every(
      (path) => path === undefined || isRegularFile(path),
    )
  )
    return [];
  const hurried = { ...connection, timeout: Math.min(connection.timeout, ONE_RESPONSE_S), maxWait: 0 };
  const source = await openRemote(hurried, await settings.apiSecret(), io);
  // Closing aborts the requests under way.
  const deadline = setTimeout(() => source.close(), ALL_RESPONSES_S * 1_000);
  try {
    const variables = await source.readSnapshot((snapshot) => readAll((page) => snapshot.listVariables(page)));
    return variables.map(({ name, description }) => [name, description]);
  } finally {
    clearTimeout(deadline);
    await source.close();
  }
}

/** Reading stdin or a pipe might never end. */
function isRegularFile(path: string): boolean {
  return path !== "-" && statSync(path).isFile();
}
