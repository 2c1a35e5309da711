import type { Io } from "../output/io.js";
import type { SourceFlags } from "../settings/setting-table.js";
import { checkSettings } from "./check-settings.js";
import { type Finding, skipped } from "./finding.js";
import { checkServer } from "./server.js";

export type CheckResult = Finding & { check: string };

const SERVER_CHECKS = ["reachability", "tls", "clock", "credentials", "rate_limit"];
const UNTRIED = skipped("the server can't be reached with these settings: see settings");

/** Runs all checks that apply to the settings, in the order of the report. Problems become findings, not rejections. */
export async function diagnose(flags: SourceFlags, io: Io): Promise<CheckResult[]> {
  const { findings, connection, access } = await checkSettings(flags, io);
  const local = connection?.kind === "local" ? connection : undefined;
  const report: Record<string, Finding | Finding[]> = {
    ...findings,
    // Loaded here because checking a server needs no store.
    ...(local && (await (await import("./check-local-data.js")).checkLocal(local, io))),
    ...(access && (await checkServer(access, io))),
    ...(!local && !access && Object.fromEntries(SERVER_CHECKS.map((check) => [check, UNTRIED]))),
  };
  return Object.entries(report).flatMap(([check, found]) => [found].flat().map((finding) => ({ check, ...finding })));
}
