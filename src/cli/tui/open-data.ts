import type { Service } from "../../service/service.js";
import type { EditableStore } from "../../store/store.js";

/** A data file that is open and watched. */
export interface OpenData {
  readonly store: EditableStore;
  readonly service: Service;
}

/** @throws InvalidDataError */
export async function openData(path: string, clock: () => number): Promise<OpenData> {
  const { openDataFile } = await import("../../store/json-file-store.js");
  const { Service } = await import("../../service/service.js");
  const store = await openDataFile(path, { watch: true });
  return { store, service: new Service(store, clock) };
}

/** A data file that several places have in common. */
export interface SharedData {
  /** Opens it at the first call, and after a failure. @throws InvalidDataError */
  open(): Promise<OpenData>;
  close(): Promise<void>;
}

/** @param open as `openData` */
export function shareData(open: () => Promise<OpenData>): SharedData {
  let opening: Promise<OpenData> | undefined;
  return {
    async open() {
      opening ??= open();
      try {
        return await opening;
      } catch (error) {
        opening = undefined;
        throw error;
      }
    },
    async close() {
      const data = await opening?.catch(() => undefined);
      await data?.store.close();
    },
  };
}
