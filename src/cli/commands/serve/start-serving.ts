import { hasCode } from "../../../kit/files/system-errors.js";
import type { Endpoint } from "../../../kit/net/endpoint.js";
import { UsageError } from "../../../kit/text/errors.js";
import type { AuditLog } from "../../../server/api/audit.js";
import type { RunningServer, ServerOptions } from "../../../server/start-server.js";
import type { Service } from "../../../service/service.js";
import type { Reloadable, Store } from "../../../store/store.js";
import type { Surroundings } from "../../../tasks/surroundings.js";
import type { OutputFlags } from "../../output/context.js";
import { type Log, serverLogHooks } from "./log.js";
import { serveMetrics } from "./metrics.js";

/** The surroundings of a server: its output and its data. */
interface ServeSetup {
  /** Where metrics are served; port 0 picks a free one. Default: nowhere. */
  metrics: Endpoint | undefined;
  audit: AuditLog | undefined;
  log: Log;
  flags: OutputFlags;
  io: Pick<Surroundings, "clock">;
}

/** @throws UsageError; Error with advice */
export async function startServing(
  store: Store & Reloadable,
  service: Service,
  options: ServerOptions,
  { metrics: place, audit, log, flags, io: { clock } }: ServeSetup,
): Promise<RunningServer> {
  const metrics =
    place &&
    (await serveMetrics(store, place, log).catch((error) => {
      throw explainListenError(error, place, "--metrics", "--metrics");
    }));
  try {
    const { startServer } = await import("../../../server/start-server.js");
    const hooks = {
      ...serverLogHooks(log, flags),
      audit,
      statistics: metrics?.statistics,
    };
    const server = await startServer(service, { ...options, ...hooks }, clock);
    // Until the last request is answered, there is something to measure.
    return { ...server, close: () => server.close().finally(() => metrics?.close()) };
  } catch (error) {
    await metrics?.close();
    throw explainListenError(error, options, "--host", "--port");
  }
}

/** @param hostFlag names the host, as `portFlag` the port */
function explainListenError(
  error: unknown,
  { host, port, fd }: Pick<ServerOptions, "host" | "port" | "fd">,
  hostFlag: string,
  portFlag: string,
): unknown {
  if (fd !== undefined && hasCode(error, "EINVAL", "ENOTSOCK", "ENOTSUP", "EOPNOTSUPP"))
    return new UsageError(`LISTEN_FDS is 1, but descriptor ${fd} is not a socket to listen on`);
  if (hasCode(error, "EADDRINUSE"))
    return new Error(
      `port ${port} on ${host} is in use: choose another with ${portFlag}, or 0 for a free one`,
    );
  if (hasCode(error, "EAI_AGAIN"))
    return new Error(`${hostFlag} ${host} can't be looked up: no DNS server answers`);
  const isForeign = hasCode(error, "EADDRNOTAVAIL", "ENOTFOUND", "EINVAL");
  return isForeign
    ? new UsageError(`${hostFlag} ${host} is not an address of this machine`)
    : error;
}
