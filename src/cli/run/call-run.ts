import type { Budget } from "../../client/retry.js";
import { UsageError } from "../../domain/errors.js";
import type { Context } from "../output/context.js";
import type { ProgramLine } from "../processes/child.js";
import { createDecrypt } from "../reading/decryption.js";
import { openSource } from "../reading/open-source.js";
import { createSelection } from "../selection/selection.js";
import type { SelectionOptions } from "../selection/selection-flags.js";
import type { SourceFlags } from "../settings/setting.js";
import { readSettings } from "../settings/settings.js";
import { runProgram } from "./run-program.js";
import type { WatchRules } from "./run-watched.js";

/** The flags of `run` itself, parsed. */
export interface RunFlags extends SelectionOptions {
  prefix?: string;
  envFile?: readonly string[];
  allowReserved?: readonly string[];
  preserveEnv?: boolean;
  pristine?: boolean;
  passCredentials?: boolean;
  exec?: boolean;
  redact?: boolean;
  /** Seconds between two checks. */
  watch?: number;
  onChange?: WatchRules["onChange"];
  /** Seconds. */
  cache?: number;
  offline?: boolean;
}

/** Runs `run` with its parsed flags. Resolves to the exit code. @throws as `runProgram` */
export async function callRun(command: ProgramLine, flags: RunFlags & SourceFlags, context: Context): Promise<number> {
  const {
    only,
    exclude,
    nameTransformer,
    prefix = "",
    envFile: envFiles = [],
    allowReserved = [],
    preserveEnv = false,
    pristine = false,
    passCredentials = false,
    exec = false,
    redact = false,
    watch,
    onChange,
    cache,
    offline,
    ...sourceFlags
  } = flags;
  const selection = await createSelection({ only, exclude, nameTransformer }, context);
  const inheritance = { preserveEnv, pristine, passCredentials };
  const rules = watchRules(watch, onChange, context.io.platform);
  const settings = readSettings(sourceFlags, context.io);
  const decrypt = await createDecrypt(settings);
  const open = (budget: Budget) => openSource(settings, context, { cache, offline, live: watch !== undefined, budget });
  return runProgram(
    { command, selection, prefix, envFiles, allowReserved, ...inheritance, exec, redact, watch: rules },
    open,
    decrypt,
    context,
  );
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
