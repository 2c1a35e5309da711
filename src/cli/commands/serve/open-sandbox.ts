import type { Credentials } from "../../../model/environment.js";
import { skewClock } from "../../../server/api/faults.js";
import { type ServerOptions, startServer } from "../../../server/start-server.js";
import { Service } from "../../../service/service.js";
import type { Data } from "../../../store/data.js";
import { freshCredentials, replaceCredentials } from "../../../store/edits/edit-environments.js";
import { createMemoryStore } from "../../../store/memory/memory-store.js";
import { starterData } from "../../../store/memory/starter-data.js";
import { chooseEnvironment } from "../../../tasks/data/choose-environments.js";
import { readData } from "../../../tasks/data/open-data.js";
import { isLeftOut, warnLeftOut } from "../../../tasks/selection/left-out.js";
import type { DataLocation } from "../../../tasks/settings/connection.js";
import type { Context } from "../../output/context.js";
import { type Log, serverLogHooks, timed } from "./serve-log.js";

export interface SandboxOptions extends Pick<ServerOptions, "rateLimit" | "rateWindow" | "faults"> {
  /** The data to copy. Default: the examples of `init`. */
  location: DataLocation | undefined;
  /**
   * The environment of the credentials. Default: the only one, or
   * `development`.
   */
  env: string | undefined;
  allowReserved: readonly string[];
}

/** A server for one command, with credentials that are valid nowhere else. */
export interface Sandbox extends Credentials {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a server on a free loopback port with data in memory. Leaves out
 * reserved names with a warning, unless they are allowed, because the command
 * may read them with any client.
 */
export async function openSandbox(
  { location, env, allowReserved, ...options }: SandboxOptions,
  context: Context,
): Promise<Sandbox> {
  const { surroundings } = context;
  const { ticks } = surroundings;
  const clock = skewClock(surroundings.clock, options.faults);
  // A sandbox needs none of the old credentials.
  const all = location
    ? replaceCredentials(await readData(location, context), freshCredentials)
    : starterData({ examples: true });
  const data = leaveOutReserved(all, allowReserved, context);
  const service = new Service(createMemoryStore(data), clock, ticks);
  const isUnique = data.environments.filter(({ name }) => name === "development").length === 1;
  const name = env ?? (isUnique ? "development" : undefined);
  const { api_key, api_secret } = chooseEnvironment(data.environments, name);
  const log: Log = (_level, message, request) =>
    context.note(request ? timed(message, request) : message);
  const hooks = serverLogHooks(log, context.flags);
  // No grace: the only client has ended by then.
  const serverOptions = { ...options, ...hooks, port: 0, drainGrace: 0 };
  const { url, close } = await startServer(service, serverOptions, clock, ticks);
  return { url, apiKey: api_key, apiSecret: api_secret, close };
}

function leaveOutReserved(data: Data, allowed: readonly string[], context: Context): Data {
  const leftOut = data.variables.filter(({ name }) => isLeftOut(name, allowed));
  // Several applications may have a variable of the same name.
  warnLeftOut([...new Set(leftOut.map(({ name }) => name))], context);
  const ids = new Set(leftOut.map(({ id }) => id));
  return {
    ...data,
    variables: data.variables.filter(({ id }) => !ids.has(id)),
    values: data.values.filter(({ variable_id }) => !ids.has(variable_id)),
  };
}
