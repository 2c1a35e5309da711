import { DURATION_EXAMPLES, durationMs } from "../../domain/duration.js";
import { type EnvironmentRecord, qualifiedName } from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { Data } from "../../store/data.js";
import type { EditableStore } from "../../store/store.js";
import type { Environments, NewCredentials } from "../../tui/state/ports.js";
import {
  addWithCredentials,
  type IssuedCredentials,
  parseEnvironmentName,
  rotateCredentials,
} from "../editing/edit-environment.js";
import type { Io } from "../output/io.js";
import { credentialLines } from "../output/shell-lines.js";

/** The environments of a store. @param check called before each change; an error that it throws prevents the change */
export function createEnvironments(
  store: EditableStore,
  environment: EnvironmentRecord,
  check: () => void,
  io: Io,
): Environments {
  const shown = ({ pair, ...added }: IssuedCredentials): NewCredentials => {
    const { api_key: apiKey, api_secret: apiSecret } = pair;
    return { environment: qualifiedName(added), apiKey, apiSecret, lines: credentialLines(pair, io) };
  };
  const update = (change: (data: Data) => Data) => store.update(change);
  return {
    add: async (name) => {
      const added = parseEnvironmentName(name.includes("/") ? name : `${environment.application}/${name}`);
      check();
      return shown(await addWithCredentials(update, added));
    },
    rotate: async (grace) => {
      const times = { now: io.clock(), grace: grace === "" ? 0 : graceOf(grace) };
      check();
      return shown(await rotateCredentials(update, qualifiedName(environment), times));
    },
  };
}

function graceOf(text: string): number {
  const milliseconds = durationMs(text);
  if (milliseconds === undefined) throw new UsageError(`the time must be like ${DURATION_EXAMPLES}`);
  return milliseconds;
}
