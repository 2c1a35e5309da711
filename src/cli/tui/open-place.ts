import type { Place } from "../../tui/ports.js";
import { chooseEnvironment } from "../choose-environment.js";
import type { Io } from "../io.js";
import type { Layer } from "../settings.js";
import { type LocalSettings, resolveSettings } from "../source-settings.js";
import type { GetCommand } from "./get-command.js";
import { meansOf } from "./means.js";
import { openData } from "./open-data.js";
import { type Means, openEnvironment } from "./open-environment.js";
import { openServer } from "./open-server.js";

/**
 * How a place is opened whose settings are nobody else's concern.
 *
 * @param readLayers called each time: what is wrong with settings may be mended meanwhile
 */
export function openPlace(readLayers: () => readonly Layer[], getCommand: GetCommand, io: Io): Place["open"] {
  return async (onRateLimit) => {
    const layers = readLayers();
    const settings = resolveSettings(layers);
    const means = await meansOf(layers, io, getCommand);
    return settings.kind === "local" ? openLocal(settings, means, io) : openServer(settings, io, means, onRateLimit);
  };
}

async function openLocal({ data: path, env }: LocalSettings, means: Means, { clock }: Io) {
  const data = await openData(path, clock);
  const close = () => data.store.close();
  try {
    return openEnvironment(data, chooseEnvironment(data.service.environments, env), means, close);
  } catch (error) {
    await close();
    throw error;
  }
}
