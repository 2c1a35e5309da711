import { DURATION_EXAMPLES, durationMs } from "../../domain/duration.js";
import { type EnvironmentRecord, type KeyPair, parseEnvironmentName, qualifiedName } from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { Data } from "../../store/data.js";
import type { EditableStore } from "../../store/store.js";
import type { Environments, NewCredentials } from "../../tui/state/ports.js";
import type { Io } from "../output/io.js";
import { credentialLines } from "../output/shell-lines.js";

/** The environments of a store. @param check called before each change; an error that it throws prevents the change */
export function createEnvironments(
  store: EditableStore,
  environment: EnvironmentRecord,
  check: () => void,
  io: Io,
): Environments {
  const issue = async (change: (data: Data, pair: KeyPair) => Data): Promise<NewCredentials> => {
    const { issueCredentials } = await import("../../store/edit-environments.js");
    const issued = await issueCredentials((edit) => store.update(edit), change);
    const { api_key: apiKey, api_secret: apiSecret } = issued;
    return { environment: qualifiedName(issued), apiKey, apiSecret, lines: credentialLines(issued, io) };
  };
  return {
    add: async (name) => {
      const { addEnvironment } = await import("../../store/edit-environments.js");
      const added = parseEnvironmentName(name, environment.application);
      check();
      return issue((data, pair) => addEnvironment(data, added, pair));
    },
    rotate: async (grace) => {
      const { rotateEnvironment } = await import("../../store/edit-environments.js");
      const times = { now: io.clock(), grace: grace === "" ? 0 : graceOf(grace) };
      check();
      return issue((data, pair) => rotateEnvironment(data, qualifiedName(environment), pair, times));
    },
  };
}

function graceOf(text: string): number {
  const milliseconds = durationMs(text);
  if (milliseconds === undefined) throw new UsageError(`the time must be like ${DURATION_EXAMPLES}`);
  return milliseconds;
}
