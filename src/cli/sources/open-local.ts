import type { Service } from "../../service/service.js";
import type { Context } from "../output/context.js";
import type { DataPlace } from "../settings/data-place.js";
import type { SecretIo } from "../settings/secrets.js";
import type { LocalData } from "./local-data.js";
import type { FileUser } from "./safe-files.js";

/** What is at a place. Loads only the code for that kind of place. */
export async function localData(place: DataPlace, io: FileUser & SecretIo): Promise<LocalData> {
  if (place.kind === "store") {
    const { storeData } = await import("./store-data.js");
    return storeData(place, io);
  }
  const { fileData } = await import("./file-data.js");
  return fileData(place, io);
}

/** Opens data to be read, with a warning if other users can change it. @throws InvalidDataError */
export async function openService(place: DataPlace, watch: boolean, { io, warn }: Context): Promise<Service> {
  const data = await localData(place, io);
  const warning = data.check("read");
  if (warning) warn(warning);
  const { Service } = await import("../../service/service.js");
  return new Service(await data.open({ watch }), io.clock);
}
