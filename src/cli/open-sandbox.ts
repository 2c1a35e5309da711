import type { Credentials, EnvironmentRecord } from "../domain/environment.js";
import { skewClock } from "../server/faults.js";
import { type ServerOptions, startServer } from "../server/start-server.js";
import { Service } from "../service/service.js";
import type { Data } from "../store/data.js";
import { replaceCredentials } from "../store/edit-environments.js";
import { openDataFile } from "../store/json-file-store.js";
import { createMemoryStore } from "../store/memory-store.js";
import { freshCredentials, starterData } from "../store/starter-data.js";
import { chooseEnvironment } from "./choose-environment.js";
import type { Context } from "./context.js";
import { serverLogHooks } from "./server-log.js";

export interface SandboxOptions extends Required<Pick<ServerOptions, "rateLimit" | "rateWindow" | "faults">> {
  /** A data file whose variables are served; without it those that `init` starts with are. */
  data: string | undefined;
  /** Name of the environment that the credentials are for. Default the only one, or else `development`. */
  env: string | undefined;
}

/** A server for one command, with credentials that are worth nothing elsewhere. */
export interface Sandbox extends Credentials {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a server on a free loopback port over data in memory.
 *
 * @throws InvalidDataError; NotFoundError, UsageError when there is no telling which environment; the system's error
 *   when it can't listen
 */
export async function openSandbox(options: SandboxOptions, { io, note, flags }: Context): Promise<Sandbox> {
  const clock = skewClock(io.clock, options.faults);
  const service = new Service(createMemoryStore(await readData(options.data)), clock);
  const { api_key, api_secret } = chooseSandboxEnvironment(service.environments, options.env);
  const { rateLimit, rateWindow, faults } = options;
  const hooks = serverLogHooks((_level, message) => note(message), flags);
  // Whoever asked has ended by then.
  const rules = { port: 0, drainGrace: 0, rateLimit, rateWindow, faults };
  const { url, close } = await startServer(service, { ...rules, ...hooks }, clock);
  return { url, apiKey: api_key, apiSecret: api_secret, close };
}

/** The file's credentials stay where they are: nothing that runs in a sandbox needs them. */
async function readData(path: string | undefined): Promise<Data> {
  if (path === undefined) return starterData();
  const store = await openDataFile(path);
  return replaceCredentials(store.snapshot, freshCredentials);
}

function chooseSandboxEnvironment(
  environments: readonly EnvironmentRecord[],
  name: string | undefined,
): EnvironmentRecord {
  const isPlain = environments.filter((environment) => environment.name === "development").length === 1;
  return chooseEnvironment(environments, name ?? (isPlain ? "development" : undefined));
}
