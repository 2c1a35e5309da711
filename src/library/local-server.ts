import { MAX_INPUT, readRegularFile } from "../kit/files/read-file.js";
import { ifMissing, withPathInErrors } from "../kit/files/system-errors.js";
import { InvalidDataError } from "../kit/text/errors.js";
import type { Credentials } from "../model/environment.js";
import { KEY_FILE_SUFFIX } from "../model/seal-key.js";
import { skewClock } from "../server/api/faults.js";
import { type RunningServer, type ServerOptions, startServer } from "../server/start-server.js";
import { Service } from "../service/service.js";
import { openDataFile } from "../store/file/json-file-store.js";
import { createMemoryStore } from "../store/memory/memory-store.js";
import { followProblem } from "../store/store.js";
import { guardCallbacks } from "./guard-callbacks.js";

export interface ServeOptions extends Omit<ServerOptions, "maxStale" | "audit" | "metrics" | "fd"> {
  /**
   * The path of a data file, which is reloaded when it changes, or the content
   * of a data file as an object.
   */
  data: string | object;
  /**
   * The key of a sealed data file. Default: the content of the key file that
   * `appvars seal` writes beside it, if it exists.
   */
  sealKey?: string;
}

export interface LocalServer extends RunningServer {
  /**
   * Returns the credentials of an environment: `test`, or `shop/test` if `test`
   * is ambiguous.
   *
   * @throws NotFoundError, UsageError
   */
  credentials(environmentName: string): Credentials;
}

/**
 * Serves data in this process, for a test suite or as a part of another
 * program.
 *
 * @example
 * const server = await serve({ data: "vars.json", port: 0 });
 * const client = createClient({ url: server.url, ...server.credentials("test") });
 *
 * @throws InvalidDataError if the data breaks a rule; the system's error if it
 *   can't listen
 */
export async function serve({ data, sealKey, ...given }: ServeOptions): Promise<LocalServer> {
  const options = guardCallbacks(given);
  const store = typeof data === "string" ? await openFile(data, sealKey) : createMemoryStore(data);
  const clock = skewClock(Date.now, options.faults);
  const service = new Service(store, clock);
  try {
    const server = await startServer(service, options, clock);
    const { onInternalError = () => {} } = options;
    followProblem(
      store,
      (problem) => problem !== undefined && onInternalError(new InvalidDataError(problem)),
    );
    return {
      ...server,
      close: () => server.close().finally(() => store.close()),
      credentials: (name) => {
        const { api_key, api_secret } = service.findEnvironment(name);
        return { apiKey: api_key, apiSecret: api_secret };
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openFile(path: string, sealKey: string | undefined) {
  const keyFile = path + KEY_FILE_SUFFIX;
  const read = () =>
    withPathInErrors(keyFile, readRegularFile(keyFile, MAX_INPUT)).catch(ifMissing);
  const sealKeys = sealKey ?? (await read())?.bytes.toString();
  return openDataFile(path, { watch: true, sealKeys });
}
