import type { VariableSource } from "../domain/source.js";
import { chooseEnvironment } from "./choose-environment.js";
import type { Io } from "./io.js";
import { layersOf } from "./layers.js";
import type { OpenOptions } from "./open-remote.js";
import type { SourceFlags } from "./settings.js";
import { type LocalSettings, type RemoteSettings, resolveSettings } from "./source-settings.js";

/**
 * Opens what the settings say: a server, or a data file with the core that a server runs. Either is loaded only when
 * it is the one.
 *
 * @throws UsageError, UnauthorizedError; for a data file also InvalidDataError and NotFoundError
 */
export async function openSource(flags: SourceFlags, io: Io, options: OpenOptions): Promise<VariableSource> {
  return openSettings(resolveSettings(layersOf(flags, io)), io, options);
}

/** The same for settings that are put together already. @throws as `openSource` */
export async function openSettings(
  settings: RemoteSettings | LocalSettings,
  io: Io,
  options: OpenOptions,
): Promise<VariableSource> {
  if (settings.kind === "local") return openLocal(settings, io, options);
  const { openRemote } = await import("./open-remote.js");
  return openRemote(settings, io, options);
}

async function openLocal({ data, env }: LocalSettings, io: Io, { live = false }: OpenOptions): Promise<VariableSource> {
  const { openDataFile } = await import("../store/json-file-store.js");
  const { Service } = await import("../service/service.js");
  const service = new Service(await openDataFile(data, { watch: live }), io.clock);
  return service.source(chooseEnvironment(service.environments, env));
}
