import type { SourceFlags } from "../settings/setting-table.js";
import type { Caller } from "../surroundings.js";
import { checkSettings } from "./check-settings.js";
import { type Finding, type Findings, notChecked } from "./finding.js";

/** Runs all checks that apply to the settings, and resolves to their findings in order. */
export async function diagnose(
  flags: SourceFlags,
  asking: Caller,
): Promise<(Finding & { check: string })[]> {
  const { findings, ...source } = await checkSettings(flags, asking);
  const report = Object.entries({ ...findings, ...(await checkSource(source)) });
  return report.flatMap(([check, found]) =>
    [found].flat().map((finding) => ({ check, ...finding })),
  );
}

/** Checking a server loads no code of a store. */
async function checkSource({
  connection,
  access,
  caller,
}: Omit<Awaited<ReturnType<typeof checkSettings>>, "findings">): Promise<Findings> {
  if (connection?.kind === "local")
    return (await import("./check-local-data.js")).checkLocal(connection, caller);
  if (access) return (await import("./check-server.js")).checkServer(access, caller.surroundings);
  const untried = ["reachability", "tls", "clock", "credentials", "rate_limit"];
  return Object.fromEntries(untried.map((check) => [check, notChecked("settings")]));
}
