import type { Io } from "../output/io.js";
import type { LocalSettings, RemoteSettings } from "../settings/connection.js";
import { profilesPath } from "../settings/profiles.js";
import type { SourceFlags } from "../settings/setting.js";
import { checkCredentials, isRefused } from "./credentials.js";
import { checkFileModes, checkFileRisks, gatherModes } from "./file-modes.js";
import { type CheckResult, type Finding, skipped } from "./finding.js";
import { checkClock, checkRateLimit, checkReachability, gatherRemoteFacts } from "./server.js";
import { checkSettings, gatherSettings, type SettingsFacts } from "./settings.js";
import { checkTls } from "./tls.js";

/** The findings of each check, in the order of the report. */
type Findings = Record<string, Finding | Finding[]>;

/** Runs all checks that apply to the settings. Problems become findings, not rejections. */
export async function diagnose(flags: SourceFlags, io: Io): Promise<CheckResult[]> {
  const facts = await gatherSettings(flags, io);
  const { settings, secretFiles } = facts;
  const data = settings?.kind === "local" && settings.place.kind === "file" ? settings.place.path : undefined;
  const files = [...(data === undefined ? [] : [data]), ...secretFiles];
  const paths = gatherModes(files, profilesPath(io));
  const risks = checkFileRisks(paths, data, io);
  const modes = checkFileModes(paths, io).filter(({ verdict }) => verdict !== "ok" || risks.length === 0);
  const findings: Findings = {
    settings: checkSettings(facts),
    file_modes: [...modes, ...risks],
    ...(settings?.kind === "local" ? await checkLocal(settings, io) : await checkRemote(settings, facts, io)),
  };
  return Object.entries(findings).flatMap(([check, found]) => [found].flat().map((finding) => ({ check, ...finding })));
}

async function checkLocal({ place, env }: LocalSettings, io: Io): Promise<Findings> {
  // Loaded here because checking a server needs no store.
  const { checkDataFile, checkEnvironment, checkSecrets, checkStore, gatherData } = await import("./local-data.js");
  const facts = await gatherData(place, io);
  const [secrets, environment] = [checkSecrets(facts, place, io.clock()), checkEnvironment(facts, place, env)];
  if (place.kind === "store") return { store: checkStore(facts, place), secrets, environment };
  const { checkLock, findLock } = await import("./lock.js");
  const lock = checkLock(place.path, await findLock(place.path, io.clock));
  return { data_file: checkDataFile(facts, place.path), secrets, lock, environment };
}

async function checkRemote(settings: RemoteSettings | undefined, known: SettingsFacts, io: Io): Promise<Findings> {
  if (!settings || !known.tls) return skippedRemote();
  const facts = await gatherRemoteFacts(
    settings,
    { apiSecret: known.apiSecret, tls: known.tls, proxy: known.proxy },
    io,
  );
  const { skew, trials, health, certificate } = facts;
  const { url, auth, apiKey } = settings;
  const needsKey = auth === "headers";
  const isAccepted = trials !== undefined && !isRefused(trials.asSent);
  return {
    reachability: checkReachability(url, facts, known.proxy),
    tls: checkTls(settings, certificate, io.clock()),
    clock: checkClock(skew, needsKey || isAccepted),
    credentials:
      settings.apiSecret && known.apiSecret === undefined
        ? skipped("the secret can't be read: see settings")
        : checkCredentials({
            hasKey: apiKey !== undefined,
            hasSecret: known.apiSecret !== undefined,
            needsKey,
            unusedDataFlags: known.unusedDataFlags,
            trials,
          }),
    rate_limit: checkRateLimit(trials?.asSent ?? health),
  };
}

function skippedRemote(): Findings {
  const checks = ["reachability", "tls", "clock", "credentials", "rate_limit"];
  const finding = skipped("the server can't be reached with these settings: see settings");
  return Object.fromEntries(checks.map((check) => [check, finding]));
}
