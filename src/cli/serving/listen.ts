import type { Cluster } from "../../cluster/start-cluster.js";
import { UsageError } from "../../domain/errors.js";
import { hasCode } from "../../files/system-errors.js";
import type { RunningServer, ServerOptions } from "../../server/start-server.js";
import type { Service } from "../../service/service.js";
import type { PackedData } from "../../store/packed-data.js";
import type { Store } from "../../store/store.js";
import type { OutputFlags } from "../output/context.js";
import type { Io } from "../output/io.js";
import { type Log, serverLogHooks } from "./log.js";

export interface ListenOptions extends Omit<ServerOptions, "faults"> {
  /** Number of processes that serve requests; 1 is this one. */
  workers: number;
}

/** @throws UsageError; Error with what to do about it */
export async function listen(
  store: Store<PackedData>,
  service: Service,
  options: ListenOptions,
  { log, flags, io }: { log: Log; flags: OutputFlags; io: Pick<Io, "env" | "clock"> },
): Promise<RunningServer & Partial<Cluster>> {
  const logged = { ...options, ...serverLogHooks(log, flags) };
  try {
    if (options.workers > 1) return await listenWithWorkers(store, logged, log, io.env);
    const { startServer } = await import("../../server/start-server.js");
    return await startServer(service, logged, io.clock);
  } catch (error) {
    throw explainListenError(error, options);
  }
}

async function listenWithWorkers(
  store: Store<PackedData>,
  options: ListenOptions,
  log: Log,
  env: Io["env"],
): Promise<Cluster> {
  const { startCluster } = await import("../../cluster/start-cluster.js");
  return startCluster(store, {
    ...options,
    onErrorLine: (line) => log("error", line),
    onReplaced: (reason) => log("error", `a worker has ended (${reason}); another one takes its place`),
    process: {
      // They get what they need, and no secrets, from this process.
      env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("APPVARS_"))),
      // They could not have the same port for a debugger.
      execArgv: process.execArgv.filter((flag) => !flag.startsWith("--inspect")),
    },
  });
}

function explainListenError(error: unknown, { host, port }: ServerOptions): unknown {
  if (hasCode(error, "EADDRINUSE"))
    return new Error(`port ${port} on ${host} is in use: choose another with --port, or 0 for a free one`);
  if (hasCode(error, "EAI_AGAIN")) return new Error(`--host ${host} can't be looked up: no DNS server answers`);
  const isForeign = hasCode(error, "EADDRNOTAVAIL", "ENOTFOUND", "EINVAL");
  return isForeign ? new UsageError(`--host ${host} is not an address of this machine`) : error;
}
