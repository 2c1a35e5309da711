import type { EnvironmentRecord } from "../../domain/environment.js";
import type { OpenPlace } from "../../tui/ports.js";
import type { Decrypt } from "../decryption.js";
import { createEditor } from "./editor.js";
import type { GetCommand } from "./get-command.js";
import type { OpenData } from "./open-data.js";

/** What a place needs beside its data: how values are decrypted, and the command that prints one. */
export interface Means {
  /** Of client-side encrypted values. */
  readonly key: string | undefined;
  readonly decrypt: Decrypt;
  readonly getCommand: GetCommand;
}

/** An environment of a data file, to be read and changed. @param close called when the place is closed */
export function openEnvironment(
  { store, service }: OpenData,
  environment: EnvironmentRecord,
  { key, decrypt, getCommand }: Means,
  close: () => Promise<void>,
): OpenPlace {
  const source = Object.assign(service.source(environment), { close });
  const editor = createEditor(store, environment, key);
  return { source, version: () => store.snapshot, editor, decrypt, getCommand };
}
