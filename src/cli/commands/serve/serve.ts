import { UsageError } from "../../../kit/text/errors.js";
import { DEFAULT_HOST, DEFAULT_MAX_CONNECTIONS, DEFAULT_PORT } from "../../../model/defaults.js";
import { DEFAULT_TOLERANCE } from "../../../signing/sign.js";
import {
  DEFAULT_DATA_FILE,
  RATE_LIMIT_STORE_VARIABLE,
} from "../../../tasks/settings/setting-table.js";
import type { Surroundings } from "../../../tasks/surroundings.js";
import { defineCommand } from "../../arguments/command.js";
import { LOCATION_FLAGS } from "../../arguments/data-flags.js";
import { parseDuration } from "../../arguments/flag-arguments.js";
import { runServe } from "./run-serve.js";
import {
  createWholeNumberParser,
  NO_RATE_LIMIT_STORE,
  NO_WORKERS,
  parseClockTolerance,
  parseListenAddress,
  parseTrustProxy,
  RATE_LIMIT,
} from "./serve-arguments.js";
import type { TlsPaths } from "./tls-files.js";

export const definition = defineCommand({
  description: `Serve the HTTP API from a data file or a store,
    and follow its changes. The default data file,
    ${DEFAULT_DATA_FILE}, is created with example variables if
    it is missing. Refuses a file that other users can change,
    unless APPVARS_ALLOW_UNSAFE_FILES=1. Prints the line that
    sets APPVARS_URL. On SIGTERM and Ctrl-C, answers open
    requests and stops. On SIGHUP, reads its data and files
    again, or stops if its terminal was closed.`,
  flags: {
    ...LOCATION_FLAGS,
    "--host <address>": {
      help: "address to listen on",
      default: DEFAULT_HOST,
    },
    "--port <port>": {
      help: "port to listen on, 0 for a free one",
      parse: createWholeNumberParser(0, 65_535),
      default: String(DEFAULT_PORT),
    },
    ...RATE_LIMIT,
    "--max-connections <number>": {
      help: "connections open at a time, 0 for no limit",
      parse: createWholeNumberParser(0),
      default: String(DEFAULT_MAX_CONNECTIONS),
    },
    "--clock-tolerance <past[/future]>": {
      help: "maximum age of a signature, and how far a client's clock may be ahead, in seconds",
      parse: parseClockTolerance,
      default: `${DEFAULT_TOLERANCE.past}/${DEFAULT_TOLERANCE.future}`,
    },
    "--trust-proxy <ranges>": {
      help: "proxies whose X-Forwarded-For is used, such as 10.0.0.0/8",
      parse: parseTrustProxy,
    },
    "--max-stale <age>": {
      help: "answer /healthz with 503 if a store's data is older, such as 5m",
      parse: parseDuration,
    },
    "--workers [number]": { help: "", preset: "", refused: NO_WORKERS },
    "--rate-limit-store [url]": {
      help: "",
      preset: "",
      refused: NO_RATE_LIMIT_STORE,
    },
    "--tls-cert <file>": "serve HTTPS with this certificate, and follow changes of the file",
    "--tls-key <file>": "its key",
    "--tls-client-ca <file>": "refuse clients without a certificate from this authority",
    "--metrics <[host:]port>": {
      help: "address for Prometheus metrics, port 0 for a free one",
      parse: parseListenAddress,
    },
    "--log-format <format>": {
      help: "format of the log",
      choices: ["pretty", "json"],
      default: "pretty",
    },
    "--audit-log <file>": "append a line about each request to this file",
  },
  examples: ["appvars serve --data vars.json --port 0"],
  async run(_, { data, store, sealKeyFile, tlsCert, tlsKey, tlsClientCa, ...flags }, context) {
    const { logFormat, auditLog, metrics, rateLimit, clockTolerance, ...others } = flags;
    const { env } = context.surroundings;
    // An empty variable counts as unset.
    if (env[RATE_LIMIT_STORE_VARIABLE])
      throw new UsageError(`${RATE_LIMIT_STORE_VARIABLE} ${NO_RATE_LIMIT_STORE}`);
    const fd = takeActivatedSocket(env, process.pid);
    const location = await context.location({ data, store, sealKeyFile });
    if (others.maxStale !== undefined && location.kind === "file")
      throw new UsageError("--max-stale needs a data store: a data file has no age");
    const options = { ...others, ...rateLimit, tolerance: clockTolerance, fd };
    const tlsPaths = readTlsPaths(tlsCert, tlsKey, tlsClientCa);
    const serveFlags = { location, logFormat, tlsPaths, auditLog, metrics };
    return runServe(options, serveFlags, context).finally(context.io.exitSoon);
  },
});

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
 * Returns the descriptor of the socket that a service manager such as systemd
 * has opened for this process, if any, as described in sd_listen_fds(3).
 * Removes the manager's variables from the environment, since child processes
 * don't get the socket.
 *
 * @throws UsageError for several sockets
 */
function takeActivatedSocket(env: Surroundings["env"], pid: number): number | undefined {
  const [forPid, count] = [env["LISTEN_PID"], env["LISTEN_FDS"]];
  for (const name of VARIABLES) delete env[name];
  if (forPid !== String(pid) || count === undefined) return undefined;
  if (count !== "1")
    throw new UsageError(`LISTEN_FDS is ${JSON.stringify(count)}, but serve listens on one socket`);
  return FIRST_FD;
}
