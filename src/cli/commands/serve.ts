import { access } from "node:fs/promises";
import { Command, Option } from "commander";
import type { EnvironmentRecord } from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { RunningServer, ServerOptions } from "../../server/start-server.js";
import type { Service } from "../../service/service.js";
import { colorsFor } from "../colors.js";
import type { Context } from "../context.js";
import { DEFAULT_DATA_FILE, dataPath } from "../data-path.js";
import { createLog, type Log, type LogFormat } from "../log.js";
import { isLoopback } from "../loopback.js";
import { wholeNumber } from "../number-arguments.js";
import { pasteLines } from "../paste-lines.js";
import { logReload, serverLogHooks } from "../server-log.js";

export interface ServeCommandOptions extends ServerOptions {
  data: string;
  logFormat: LogFormat;
  /** Name of the environment whose credentials are printed; without it none are, except those of a new file. */
  printCredentials: string | undefined;
}

export function serveCommand(context: Context): Command {
  return new Command("serve")
    .summary("serve the HTTP API from a data file")
    .description(
      "Serve the HTTP API from a data file, and reload it when it changes. Where there is none it makes one, as " +
        "init does. Prints the lines to paste into another shell. SIGTERM and Ctrl-C answer what is open and stop.",
    )
    .option("--data <file>", `the data file (APPVARS_DATA, default ${DEFAULT_DATA_FILE})`)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <port>", "0 picks a free one", wholeNumber(0, 65_535), 7400)
    .option("--rate-limit <requests>", "allowed in one window, 0 for no limit", wholeNumber(0), 7_500)
    .option("--rate-window <seconds>", "length of the window", wholeNumber(1, 86_400), 60)
    .option("--tolerance-past <seconds>", "how old a signature may be", wholeNumber(0), 300)
    .option("--tolerance-future <seconds>", "how far a client's clock may be ahead", wholeNumber(0), 60)
    .option("--keyless-limit <number>", "secrets tried for a signature without a key", wholeNumber(0), 100)
    .option("--print-credentials <environment>", "print this environment's credentials, secret included")
    .addOption(new Option("--log-format <format>", "of stderr").choices(["pretty", "json"]).default("pretty"))
    .addHelpText("after", "\nExample:\n  appvars serve --data vars.json --port 0")
    .action(({ data, tolerancePast, toleranceFuture, ...options }) => {
      const tolerance = { past: tolerancePast, future: toleranceFuture };
      return runServe({ ...options, tolerance, data: dataPath({ data }, context.io) }, context);
    });
}

/** Resolves once the process was asked to stop and all open requests are answered. */
export async function runServe(options: ServeCommandOptions, context: Context): Promise<void> {
  const { io } = context;
  const stopped = io.untilStopped();
  const { openDataFile } = await import("../../store/json-file-store.js");
  const { Service } = await import("../../service/service.js");
  const made = await makeIfMissing(options.data);
  const store = await openDataFile(options.data, { watch: true });
  try {
    const service = new Service(store, io.clock);
    const { printCredentials } = options;
    const shown = printCredentials ? service.findEnvironment(printCredentials) : made;
    const log = createLog(
      io.stderr,
      options.logFormat,
      io.clock,
      await colorsFor(io.stderr, io.env, context.flags.color),
    );
    if (made)
      log("info", `made ${options.data}, readable by you alone; the credentials of all its environments are in it`);
    await warnOfRisks(options, log);
    const server = await listen(service, { ...options, ...serverLogHooks(log, context.flags) }, context);
    store.subscribe(() => logReload(store, options.data, log));
    log("info", `serving ${options.data} on ${server.url}`);
    announce(server, shown, context);
    await stopped;
    log("info", "stopping: open requests are answered first");
    await server.close();
  } finally {
    await store.close();
  }
}

/** Makes the data file if there is none, and returns the environment whose new credentials are to be shown. */
async function makeIfMissing(path: string): Promise<EnvironmentRecord | undefined> {
  if (
    await access(path).then(
      () => true,
      (error) => error.code !== "ENOENT",
    )
  )
    return undefined;
  const { createDataFile } = await import("../../store/json-file-store.js");
  const { starterData } = await import("../../store/starter-data.js");
  const data = starterData();
  await createDataFile(path, data);
  return data.environments[0];
}

async function warnOfRisks({ data, host = "" }: ServeCommandOptions, log: Log): Promise<void> {
  const { looseModeWarning } = await import("../../store/file-mode.js");
  const warning = await looseModeWarning(data);
  if (warning) log("warn", warning);
  if (!isLoopback(host)) {
    log("warn", `${host} may be reached from other machines, and without TLS they can read what is sent`);
  }
}

async function listen(service: Service, options: ServerOptions, context: Context): Promise<RunningServer> {
  const { startServer } = await import("../../server/start-server.js");
  try {
    return await startServer(service, options, context.io.clock);
  } catch (error) {
    throw explainListenError(error as NodeJS.ErrnoException, options);
  }
}

function explainListenError(error: NodeJS.ErrnoException, { host, port }: ServerOptions): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(`port ${port} on ${host} is in use: choose another with --port, or 0 for a free one`);
  }
  const isForeign = ["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"].includes(error.code ?? "");
  return isForeign ? new UsageError(`--host ${host} is no address of this machine`) : error;
}

/** Tells stdout where the server is and, for one environment, how to get in. */
function announce({ url }: RunningServer, shown: EnvironmentRecord | undefined, context: Context): void {
  if (context.flags.json)
    context.printJson({ url, ...(shown && { api_key: shown.api_key, api_secret: shown.api_secret }) });
  else context.print(pasteLines(url, shown));
}
