import type { Budget } from "../../client/retry.js";
import { UsageError } from "../../domain/errors.js";
import type { ProgramLine } from "../children/child-environment.js";
import type { Context } from "../output/context.js";
import { createStrictCheck } from "../reading/check-source.js";
import { createDecrypt } from "../reading/decryption.js";
import { openSource } from "../reading/open-source.js";
import { createSelection } from "../selection/selection.js";
import type { SelectionOptions } from "../selection/selection-flags.js";
import { readSettings } from "../settings/resolve-settings.js";
import type { SourceFlags } from "../settings/setting-table.js";
import { type RunOptions, runProgram } from "./run-program.js";
import type { WatchRules } from "./run-watched.js";

/** All flags of a call, parsed. */
interface RunFlags extends RunOptions, SelectionOptions, SourceFlags {
  /** Seconds between two checks. */
  watch?: number;
  onChange?: WatchRules["onChange"];
  /** Seconds. */
  cache?: number;
  offline?: boolean;
  strict?: boolean | undefined;
}

/** Runs `run` with its parsed flags. Resolves to the exit code. @throws as `runProgram` */
export async function callRun(command: ProgramLine, flags: RunFlags, context: Context): Promise<number> {
  const { watch, onChange, cache, offline } = flags;
  const rules = watchRules(watch, onChange, context.io.platform);
  const settings = readSettings(flags, context.io);
  const findProblems = await createStrictCheck(flags.strict, settings, context);
  const only = flags.only ?? settings.find("only")?.text.split(/[\s,]+/);
  const envFile = flags.envFile ?? [settings.find("envFile")?.text ?? []].flat();
  const selection = await createSelection({ ...flags, only, findProblems }, context);
  const decrypt = await createDecrypt(settings);
  const open = (budget: Budget) => openSource(settings, context, { cache, offline, live: watch !== undefined, budget });
  return runProgram(command, selection, { ...flags, envFile }, rules, open, decrypt, context);
}

function watchRules(
  interval: number | undefined,
  onChange: WatchRules["onChange"] | undefined,
  platform: NodeJS.Platform,
): WatchRules | undefined {
  if (platform === "win32" && onChange !== undefined && onChange !== "restart")
    throw new UsageError("--on-change can't send a signal: Windows has none; use restart");
  if (interval !== undefined) return { interval, onChange: onChange ?? "restart" };
  if (onChange !== undefined) throw new UsageError("--on-change needs --watch");
  return undefined;
}
