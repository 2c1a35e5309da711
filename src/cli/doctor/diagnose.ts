import type { Io } from "../output/io.js";
import { profilesPath } from "../settings/profiles.js";
import type { SourceFlags } from "../settings/setting-table.js";
import { checkSettings } from "./check-settings.js";
import { checkFiles } from "./files.js";
import { type Finding, skipped } from "./finding.js";
import { checkServer } from "./server.js";

export type CheckResult = Finding & { check: string };

/** Runs all checks that apply to the settings, in the order of the report. Problems become findings, not rejections. */
export async function diagnose(flags: SourceFlags, io: Io): Promise<CheckResult[]> {
  const known = await checkSettings(flags, io);
  const { connection, access, secretFiles } = known;
  const local = connection?.kind === "local" ? connection : undefined;
  const data = local?.place.kind === "file" ? local.place.path : undefined;
  const findings: Record<string, Finding | Finding[]> = {
    settings: known.findings,
    file_modes: checkFiles(secretFiles, data, profilesPath(io), io),
    // Loaded here because checking a server needs no store.
    ...(local && (await (await import("./check-local-data.js")).checkLocal(local, io))),
    ...(access && (await checkServer(access, io))),
    ...(!local && !access && skippedServer()),
  };
  return Object.entries(findings).flatMap(([check, found]) => [found].flat().map((finding) => ({ check, ...finding })));
}

function skippedServer(): Record<string, Finding> {
  const checks = ["reachability", "tls", "clock", "credentials", "rate_limit"];
  const finding = skipped("the server can't be reached with these settings: see settings");
  return Object.fromEntries(checks.map((check) => [check, finding]));
}
