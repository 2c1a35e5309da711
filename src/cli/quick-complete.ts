import { statSync } from "node:fs";
import { escapeControls } from "../domain/escape-controls.js";
import { readAll } from "../domain/source.js";
import { isVariableName } from "../domain/variable.js";
import { dataPath } from "./data-path.js";
import type { Io } from "./io.js";
import { layersOf } from "./layers.js";
import { openRemote } from "./open-remote.js";
import { profilesPath, readProfiles } from "./profiles.js";
import { findSetting, type SourceFlags } from "./settings.js";
import { parseWords } from "./source-flags.js";
import { type RemoteSettings, resolveSettings } from "./source-settings.js";

/** A word to offer, and what it is for; both may come from a stranger. */
export type Found = readonly [word: string, description: string];

/** Seconds that a person who has pressed Tab is let wait for one answer, and for all. */
const ONE_ANSWER_S = 0.5;
const ALL_ANSWERS_S = 0.7;

const FINDERS: Record<string, (flags: SourceFlags, io: Io) => Promise<Found[]>> = {
  names: findNames,
  "file-names": findNamesInFile,
  environments: async (flags, io) => (await import("./found-in-file.js")).findEnvironments(dataPath(flags, io)),
  profiles: async (_, io) => findProfiles(io),
};

/**
 * `appvars __complete KIND PREFIX WORD…`, which completion scripts call: what there is of a kind that begins with the
 * prefix, each with a tab and a description after it, given the words of the command line up to there. It is in no
 * help. Reads no stdin, and whatever goes wrong prints nothing. Resolves to undefined for any other command line.
 */
export async function quickComplete(argv: readonly string[], io: Io): Promise<number | undefined> {
  const [command, kind = "", prefix = "", ...words] = argv;
  if (command !== "__complete") return undefined;
  try {
    const found = (await FINDERS[kind]?.(parseFlags(words, io), io)) ?? [];
    const offered = found.filter(([word]) => word.startsWith(prefix) && isOfferable(word));
    io.stdout.write(offered.map(([word, description]) => `${word}\t${escapeControls(description)}\n`).join(""));
  } catch {
    // Whoever presses Tab is in the middle of a line, which no message may be written into.
  }
  return 0;
}

/** Not what would end the line early, or be taken for a flag. */
function isOfferable(word: string): boolean {
  return /^[^-\p{Cc}]\P{Cc}*$/u.test(word);
}

function parseFlags(words: string[], { env }: Io): SourceFlags {
  const { flags } = parseWords(words, {}, false);
  // The shell has not done it yet, for it has not run the line.
  const expand = (text: unknown) => (typeof text === "string" ? text.replace(/^~(?=\/)/, env["HOME"] ?? "~") : text);
  return Object.fromEntries(Object.entries(flags).map(([name, text]) => [name, expand(text)]));
}

function findProfiles(io: Io): Found[] {
  const { profiles } = readProfiles(profilesPath(io));
  return Object.entries(profiles).map(([name, { url, data }]) => [name, String(url ?? data ?? "")]);
}

async function findNames(flags: SourceFlags, io: Io): Promise<Found[]> {
  const settings = resolveSettings(layersOf(flags, io));
  if (settings.kind === "remote") return findRemoteNames(settings, io);
  const { findVariables } = await import("./found-in-file.js");
  return findVariables(settings.data, settings.env);
}

async function findNamesInFile(flags: SourceFlags, io: Io): Promise<Found[]> {
  const { findVariables } = await import("./found-in-file.js");
  return findVariables(dataPath(flags, io), findSetting(layersOf(flags, io), "env")?.text);
}

async function findRemoteNames(settings: RemoteSettings, io: Io): Promise<Found[]> {
  const { apiSecret, caFile } = settings;
  const secretFile = apiSecret?.name === "apiSecretFile" ? apiSecret.text : undefined;
  if (![secretFile, caFile].every((path) => path === undefined || isReadAtOnce(path))) return [];
  const hurried = { ...settings, timeout: Math.min(settings.timeout, ONE_ANSWER_S), maxWait: 0 };
  const source = await openRemote(hurried, io, { onRetry: () => {}, onResponse: () => {} });
  // Closing makes what is under way fail.
  const deadline = setTimeout(() => source.close(), ALL_ANSWERS_S * 1_000);
  try {
    const variables = await readAll((page) => source.listVariables(page));
    return variables.flatMap(({ name, description }) => (isVariableName(name) ? [[name, description] as const] : []));
  } finally {
    clearTimeout(deadline);
    await source.close();
  }
}

/** Not stdin, nor a pipe, which may never be written to. */
function isReadAtOnce(path: string): boolean {
  return path !== "-" && statSync(path).isFile();
}
