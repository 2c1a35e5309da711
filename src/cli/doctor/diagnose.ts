import type { Io } from "../io.js";
import { profilesPath } from "../profiles.js";
import type { SourceFlags } from "../settings.js";
import type { LocalSettings, RemoteSettings } from "../source-settings.js";
import { checkClock } from "./check-clock.js";
import { checkCredentials } from "./check-credentials.js";
import { checkFileModes, gatherModes } from "./check-file-modes.js";
import { checkRateLimit } from "./check-rate-limit.js";
import { checkReachability } from "./check-reachability.js";
import { checkSettings } from "./check-settings.js";
import { checkTls } from "./check-tls.js";
import { type CheckResult, type Finding, skipped } from "./finding.js";
import { gatherSettings, type SettingsFacts } from "./gather-settings.js";
import { gatherRemoteFacts } from "./remote-facts.js";
import { isRefused } from "./try-credentials.js";

/** The findings of each check, in the order in which they are told. */
type Findings = Record<string, Finding | Finding[]>;

/** Makes all checks that the settings give reason to. Never rejects for what it finds. */
export async function diagnose(flags: SourceFlags, io: Io): Promise<CheckResult[]> {
  const facts = await gatherSettings(flags, io);
  const { settings, secretFiles } = facts;
  const data = settings?.kind === "local" ? [settings.data] : [];
  const files = [...data, ...secretFiles.map(({ text }) => text)];
  return name({
    settings: checkSettings(facts),
    file_modes: checkFileModes(await gatherModes(files, profilesPath(io))),
    ...(settings?.kind === "local" ? await checkLocal(settings, io) : await checkRemote(settings, facts, io)),
  });
}

async function checkLocal({ data, env }: LocalSettings, io: Io): Promise<Findings> {
  // Loaded here: a server's client needs no store.
  const { checkDataFile, checkEnvironment, checkLock, gatherDataFile } = await import("./check-data-file.js");
  const facts = await gatherDataFile(data, io.clock);
  return { data_file: checkDataFile(facts), lock: checkLock(facts), environment: checkEnvironment(facts, env) };
}

async function checkRemote(settings: RemoteSettings | undefined, known: SettingsFacts, io: Io): Promise<Findings> {
  const { apiSecret, ca } = known;
  if (!settings || (settings.caFile !== undefined && ca === undefined)) return skippedRemote();
  const facts = await gatherRemoteFacts({ settings, apiSecret, ca }, io.clock);
  const { skew, trials, health, certificate } = facts;
  const { url, auth, apiKey } = settings;
  const needsKey = auth === "headers";
  const isTaken = trials !== undefined && !isRefused(trials.asSent);
  return {
    reachability: checkReachability(url, facts),
    tls: checkTls(url, certificate, io.clock()),
    clock: checkClock({ skew, harmless: needsKey || isTaken }),
    credentials:
      settings.apiSecret && apiSecret === undefined
        ? skipped("the secret can't be read: see settings")
        : checkCredentials({ hasKey: apiKey !== undefined, hasSecret: apiSecret !== undefined, needsKey, trials }),
    rate_limit: checkRateLimit(trials?.asSent ?? health),
  };
}

function skippedRemote(): Findings {
  const checks = ["reachability", "tls", "clock", "credentials", "rate_limit"];
  return Object.fromEntries(
    checks.map((check) => [check, skipped("it is not known how to reach the server: see settings")]),
  );
}

function name(findings: Findings): CheckResult[] {
  return Object.entries(findings).flatMap(([check, found]) => [found].flat().map((finding) => ({ check, ...finding })));
}
