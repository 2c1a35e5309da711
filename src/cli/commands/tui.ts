import { platform } from "node:os";
import { ReadStream, WriteStream } from "node:tty";
import { Command, Option } from "commander";
import { UsageError } from "../../domain/errors.js";
import type { ThemeName } from "../../tui/theme.js";
import { colorLevel } from "../colors.js";
import type { Context } from "../context.js";
import { reportError } from "../report-error.js";
import { schedule } from "../schedule.js";
import { placeOf, type SourceFlags } from "../settings.js";
import { addSourceOptions } from "../source-options.js";
import type { ProcessTerminalOptions } from "../tui/process-terminal.js";

// Of the TUI itself nothing is loaded before it is called.
const THEMES = ["auto", "dark", "light", "plain"] as const satisfies readonly ThemeName[];

export function tuiCommand(context: Context): Command {
  const command = new Command("tui")
    .summary("browse variables on the whole screen")
    .description(
      "Browse the variables of all environments of a data file, or of all profiles, on the whole screen; those of a " +
        "data file can be edited. Values are hidden until they are asked for. Press ? there for the keys.",
    )
    .addOption(new Option("--theme <theme>", "colours for this background").choices(THEMES).default("auto"))
    .addHelpText("after", "\nExample:\n  appvars tui --data vars.json")
    .action(({ theme, ...flags }: SourceFlags & { theme: ThemeName }) => runTui({ theme }, flags, context));
  return addSourceOptions(command);
}

/** @throws UsageError without a terminal; NotFoundError, InvalidDataError when there is nothing to begin with */
export async function runTui({ theme }: { theme: ThemeName }, flags: SourceFlags, context: Context): Promise<void> {
  const { io } = context;
  const streams = terminalOf(context);
  refuseStdin(flags);
  const { boundHeap } = await import("../tui/bound-heap.js");
  const { endDespiteLookups } = await import("../tui/end-despite-lookups.js");
  const { findPlaces } = await import("../tui/places.js");
  const { close, ...places } = await findPlaces(flags, io);
  try {
    const { ProcessTerminal } = await import("../tui/process-terminal.js");
    const { createCopy } = await import("../tui/clipboard.js");
    const tui = await import("../../tui/run-tui.js");
    const terminal = new ProcessTerminal({ ...streams, onCrash: (error) => void crash(error, context) });
    const write = (text: string) => terminal.write(text);
    const copy = createCopy({ write, platform: platform(), env: io.env, schedule });
    const colors = { theme, colorLevel: colorLevel(io.stdout, io.env, context.flags.color) };
    try {
      await tui.runTui({ ...places, ...colors, copy, terminal, clock: io.clock, onRead: boundHeap });
    } finally {
      terminal.release();
    }
    context.exitCode = terminal.exitCode;
  } finally {
    await close();
  }
  endDespiteLookups();
}

const INSTEAD = "appvars list, appvars get NAME or appvars show NAME";

/** @throws UsageError that says what to use instead */
function terminalOf({ io, flags }: Context): Omit<ProcessTerminalOptions, "onCrash"> {
  if (flags.json) throw new UsageError(`tui has nothing for programs: use ${INSTEAD} with --json`);
  const { stdin: input, stdout: output } = io;
  if (!(input instanceof ReadStream && output instanceof WriteStream)) {
    throw new UsageError(`tui needs a terminal as stdin and stdout: without one, use ${INSTEAD}`);
  }
  if (io.env["TERM"] === "dumb") throw new UsageError(`tui can't be shown where TERM is dumb: use ${INSTEAD}`);
  return { input, output };
}

/** @throws UsageError */
function refuseStdin(flags: SourceFlags): void {
  for (const name of ["apiSecretFile", "encKeyFile"] as const) {
    if (flags[name] !== "-") continue;
    throw new UsageError(`${placeOf(name, "flag")} can't be - here: stdin is the keyboard`);
  }
}

/** Timers and connections of what has crashed could keep the process for as long as they like. */
async function crash(error: unknown, { io, flags }: Context): Promise<void> {
  const words = [...(flags.color ? [] : ["--no-color"]), ...(flags.verbose ? ["--verbose"] : [])];
  process.exit(await reportError(error, words, io));
}
