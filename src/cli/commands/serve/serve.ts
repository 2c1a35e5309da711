import { UsageError } from "../../../kit/text/errors.js";
import { DEFAULT_HOST, DEFAULT_MAX_CONNECTIONS, DEFAULT_PORT } from "../../../model/defaults.js";
import { DEFAULT_TOLERANCE } from "../../../signing/sign.js";
import { readSettings } from "../../../tasks/settings/resolve-settings.js";
import {
  DEFAULT_DATA_FILE,
  RATE_LIMIT_STORE_VARIABLE,
} from "../../../tasks/settings/setting-table.js";
import { defineCommand } from "../../arguments/command.js";
import { PLACE_FLAGS } from "../../arguments/data-flags.js";
import { parseDuration } from "../../arguments/flag-arguments.js";
import type { Context } from "../../output/context.js";
import { runServe } from "./run-serve.js";
import {
  NO_RATE_LIMIT_STORE,
  NO_WORKERS,
  parseClockTolerance,
  parseListenPlace,
  parseTrustProxy,
  RATE_LIMIT,
  wholeNumber,
} from "./serve-arguments.js";
import type { TlsPaths } from "./tls-files.js";

export const definition = defineCommand({
  description: `Serve the HTTP API from a data file or a store, and follow its
    changes. The default data file, ${DEFAULT_DATA_FILE}, is created with
    example variables if it is missing. Refuses a file that other users can
    change, unless APPVARS_ALLOW_UNSAFE_FILES=1. Prints the line that sets
    APPVARS_URL. On SIGTERM and Ctrl-C, answers open requests and stops. On
    SIGHUP, reads its data and files again, or stops if its terminal was closed.`,
  flags: {
    ...PLACE_FLAGS,
    "--host <address>": { help: "address to listen on", default: DEFAULT_HOST },
    "--port <port>": {
      help: "port to listen on, 0 for a free one",
      parse: wholeNumber(0, 65_535),
      default: String(DEFAULT_PORT),
    },
    ...RATE_LIMIT,
    "--max-connections <number>": {
      help: "connections open at a time, 0 for no limit",
      parse: wholeNumber(0),
      default: String(DEFAULT_MAX_CONNECTIONS),
    },
    "--clock-tolerance <past[/future]>": {
      help: "seconds that a signature may be old, or a client's clock ahead",
      parse: parseClockTolerance,
      default: `${DEFAULT_TOLERANCE.past}/${DEFAULT_TOLERANCE.future}`,
    },
    "--trust-proxy <ranges>": {
      help: "proxies whose X-Forwarded-For is used, such as 10.0.0.0/8",
      parse: parseTrustProxy,
    },
    "--max-stale <age>": {
      help: "answer /healthz with 503 once the data store's data is older, such as 5m",
      parse: parseDuration,
    },
    "--workers <number>": { help: "", refused: NO_WORKERS },
    "--rate-limit-store <url>": { help: "", refused: NO_RATE_LIMIT_STORE },
    "--tls-cert <file>":
      "serve HTTPS with this certificate, and the next one when the file is replaced",
    "--tls-key <file>": "its key",
    "--tls-client-ca <file>": "refuse clients without a certificate from this authority",
    "--metrics <[host:]port>": {
      help: "serve metrics for Prometheus there, port 0 for a free one",
      parse: parseListenPlace,
    },
    "--log-format <format>": {
      help: "format of the log",
      choices: ["pretty", "json"],
      default: "pretty",
    },
    "--audit-log <file>": "append a line about each request to this file",
  },
  examples: ["appvars serve --data vars.json --port 0"],
  run(_, { data, store, sealKeyFile, rateLimit, ...given }, context) {
    const { logFormat, auditLog, metrics, tlsCert, tlsKey, tlsClientCa, ...others } = given;
    const { clockTolerance: tolerance, ...server } = others;
    // An empty variable counts as unset.
    if (context.surroundings.env[RATE_LIMIT_STORE_VARIABLE])
      throw new UsageError(`${RATE_LIMIT_STORE_VARIABLE} ${NO_RATE_LIMIT_STORE}`);
    const fd = takeActivatedSocket(context.surroundings.env, process.pid);
    const place = readSettings({ data, store, sealKeyFile }, context).dataPlace;
    if (server.maxStale !== undefined && place.kind === "file")
      throw new UsageError("--max-stale needs a data store: a data file has no age");
    const options = { ...server, ...rateLimit, tolerance, fd };
    const tlsPaths = readTlsPaths(tlsCert, tlsKey, tlsClientCa);
    const serveFlags = { place, logFormat, tlsPaths, auditLog, metrics };
    return runServe(options, serveFlags, context).finally(context.io.leaveUnread);
  },
});

/** @throws UsageError if the certificate or the key is missing */
function readTlsPaths(cert?: string, key?: string, clientCa?: string): TlsPaths | undefined {
  if (cert !== undefined && key !== undefined) return { cert, key, clientCa };
  if ((cert ?? key ?? clientCa) !== undefined)
    throw new UsageError("HTTPS needs both --tls-cert and --tls-key");
  return undefined;
}

/** The first descriptor that a service manager passes on. */
const FIRST_FD = 3;
const VARIABLES = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"];

/**
 * The descriptor of the socket that a service manager such as systemd has opened for this process;
 * undefined without one. The protocol is that of sd_listen_fds(3). Removes its variables from the
 * environment, since child processes don't get the socket.
 *
 * @throws UsageError for several sockets
 */
function takeActivatedSocket(env: Context["surroundings"]["env"], pid: number): number | undefined {
  const [forPid, count] = [env["LISTEN_PID"], env["LISTEN_FDS"]];
  for (const name of VARIABLES) delete env[name];
  if (forPid !== String(pid) || count === undefined) return undefined;
  if (count !== "1")
    throw new UsageError(`LISTEN_FDS is ${JSON.stringify(count)}, but serve listens on one socket`);
  return FIRST_FD;
}
