import { ReadStream, WriteStream } from "node:tty";
import { endProcess } from "../../../kit/process/signals.js";
import { UsageError } from "../../../kit/text/errors.js";
import { type GivenFlags, SETTINGS } from "../../../tasks/settings/setting-table.js";
import type { ThemeName } from "../../../tui/text/theme.js";
import { defineCommand } from "../../arguments/command.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";
import { colorLevel } from "../../output/colors.js";
import type { Context } from "../../output/context.js";
import { reportError } from "../../output/report-error.js";

// Nothing of the TUI itself is loaded before the command runs.
const THEMES = ["auto", "dark", "light", "plain"] as const satisfies readonly ThemeName[];

export const definition = defineCommand({
  description: `Browse the variables of all environments of a
    data file or a store, or of all profiles, on the full
    screen, and edit those of a data file or a store. Values are
    hidden until you show them. Press ? for the keys.`,
  flags: {
    "--theme <theme>": {
      help: "colors for a dark or light background; auto, the default, asks the terminal",
      choices: THEMES,
    },
    "--no-mouse": "leave the mouse to the terminal, which selects text with it",
    ...SOURCE_FLAGS,
    // Not from stdin, which is the keyboard.
    "--api-secret-file <file>": "file with its secret (or set APPVARS_API_SECRET)",
    "--enc-key-file <file>": "file with the key of encrypted values (or APPVARS_ENC_KEY)",
  },
  examples: ["appvars tui --data vars.json"],
  async run(_, { theme, mouse = true, ...flags }, context) {
    let isShown = false;
    const note: Context["note"] = (text, repeat) => {
      if (!isShown) context.note(text, repeat);
    };
    const caller = { ...context, note };
    const { surroundings, io } = context;
    const { platform, env } = surroundings;
    const streams = terminalOf(context);
    refuseStdin(flags);
    const { ALL_COMMANDS } = await import("../../../tui/commands/all-commands.js");
    const { readTuiSettings } = await import("../../../tui/adapters/tui-settings.js");
    const {
      commands,
      columns,
      masked,
      poll_interval: poll,
      ...settings
    } = readTuiSettings(caller, ALL_COMMANDS);
    const { findPlaces } = await import("../../../tui/adapters/find-places.js");
    const { close, welcome, ...places } = await findPlaces(flags, caller);
    try {
      const tui = await loadInterface();
      isShown = true;
      const terminal = new tui.ProcessTerminal({
        ...streams,
        platform,
        mouse: mouse && (settings.mouse ?? true),
        onCrash: (error) => void crash(error, context),
      });
      try {
        await tui.runTui({
          ...places,
          theme: theme ?? settings.theme ?? "auto",
          colorLevel: colorLevel(io.stdout, env, context.flags.color),
          isAscii: isAsciiLocale(env),
          commands,
          preferences: { columns, masked, pollMs: poll && poll * 1_000 },
          copy: tui.createCopy({ write: (text) => terminal.write(text), platform, env }),
          write: tui.writeValues,
          openInEditor: tui.createOpenInEditor(terminal, surroundings),
          listFolder: (folder: string) => tui.listFolder(folder, surroundings),
          welcome: welcome && { ...welcome, createExample: () => createExample(context) },
          terminal,
          ticks: surroundings.ticks,
        });
      } finally {
        terminal.release();
      }
      context.exitCode = terminal.exitCode;
    } finally {
      await close();
    }
  },
});

async function loadInterface() {
  const { ProcessTerminal } = await import("../../../tui/adapters/process-terminal.js");
  const { listFolder, writeValues } = await import("../../../tui/adapters/import-export.js");
  const { createCopy } = await import("../../../tui/adapters/clipboard.js");
  const { createOpenInEditor } = await import("../../../tui/adapters/external-editor.js");
  const { loadDrawing, runTui } = await import("../../../tui/run-tui.js");
  await loadDrawing();
  return { ProcessTerminal, listFolder, writeValues, createCopy, createOpenInEditor, runTui };
}

async function createExample(context: Context): Promise<void> {
  const { runInit } = await import("../change/init.js");
  await runInit({ example: true }, { ...context, note: () => {} });
}

const INSTEAD = "appvars list, appvars get NAME or appvars show NAME";

function terminalOf({ io, flags }: Context) {
  if (flags.json)
    throw new UsageError(`tui has no output for programs: use ${INSTEAD} with --json`);
  const { stdin: input, stdout: output } = io;
  if (!(input instanceof ReadStream && output instanceof WriteStream))
    throw new UsageError(`tui needs a terminal as stdin and stdout: without one, use ${INSTEAD}`);
  if (io.surroundings.env["TERM"] === "dumb")
    throw new UsageError(`tui does not work with TERM=dumb: use ${INSTEAD}`);
  return { input, output };
}

function refuseStdin(flags: GivenFlags): void {
  for (const name of ["apiSecretFile", "encKeyFile"] as const)
    if (flags[name] === "-")
      throw new UsageError(`${SETTINGS[name].flag} can't be - here: stdin is the keyboard`);
}

/**
 * Reports an error and ends the process, which timers and connections could
 * keep alive.
 */
async function crash(error: unknown, { io, flags }: Context): Promise<void> {
  const words = flags.color ? [] : ["--no-color"];
  if (flags.verbose) words.push("--verbose");
  endProcess(await reportError(error, words, io));
}

/**
 * Whether the locale names a character set other than UTF-8: `C`, `POSIX`,
 * `en_US.ISO-8859-1`. As in other programs, a locale without one, or none at
 * all, is UTF-8.
 */
export function isAsciiLocale(env: NodeJS.ProcessEnv): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /^(?:C|POSIX)$|\.(?!utf-?8)/i.test(locale);
}
