import type { VariableSource } from "../domain/source.js";
import { chooseEnvironment } from "./choose-environment.js";
import type { Io } from "./io.js";
import { layersOf } from "./layers.js";
import type { CacheOptions } from "./open-cached.js";
import type { OpenOptions } from "./open-remote.js";
import type { SourceFlags } from "./settings.js";
import { type LocalSettings, type RemoteSettings, resolveSettings } from "./source-settings.js";

export interface OpenSourceOptions extends OpenOptions {
  /** To keep answers of a server, and use them when it can't be reached. Nothing is kept of a data file. */
  cache?: CacheOptions | undefined;
}

/**
 * Opens what the settings say: a server, or a data file with the core that a server runs. Either is loaded only when
 * it is the one.
 *
 * @throws UsageError, UnauthorizedError; for a data file also InvalidDataError and NotFoundError
 */
export async function openSource(flags: SourceFlags, io: Io, options: OpenSourceOptions): Promise<VariableSource> {
  return openSettings(resolveSettings(layersOf(flags, io)), io, options);
}

/** The same for settings that are put together already. @throws as `openSource` */
export async function openSettings(
  settings: RemoteSettings | LocalSettings,
  io: Io,
  options: OpenSourceOptions,
): Promise<VariableSource> {
  if (settings.kind === "local") return openLocal(settings, io, options);
  if (options.cache) {
    const { openCached } = await import("./open-cached.js");
    return openCached(settings, io, options.cache, options);
  }
  const { openRemote } = await import("./open-remote.js");
  return openRemote(settings, io, options);
}

async function openLocal({ data, env }: LocalSettings, io: Io, { live = false }: OpenOptions): Promise<VariableSource> {
  const { openDataFile } = await import("../store/json-file-store.js");
  const { Service } = await import("../service/service.js");
  const service = new Service(await openDataFile(data, { watch: live }), io.clock);
  return service.source(chooseEnvironment(service.environments, env));
}
