import { REVEAL_MS } from "../browse/reveal.js";
import { commandKeyName, type Key } from "../input/key.js";
import { type Step, step } from "../state/messages.js";
import type { CredentialsMode } from "../state/modes.js";
import type { NewCredentials } from "../state/ports.js";
import type { State } from "../state/state.js";

/** Shows new credentials, masked, whatever else is on the screen: they can't be shown again. */
export function showCredentials(state: State, credentials: NewCredentials): State {
  return { ...state, mode: { kind: "credentials", credentials, back: state.mode } };
}

export function credentialsKey(state: State, mode: CredentialsMode, key: Key): Step {
  const { credentials, until = 0, back } = mode;
  switch (commandKeyName(key)) {
    case "v":
      return step({ ...state, mode: { ...mode, until: until > state.now ? undefined : state.now + REVEAL_MS } });
    case "y":
      return step(state, { type: "copyCredentials", credentials });
    case "escape":
    case "q":
      return step({ ...state, mode: back });
    default:
      return step(state);
  }
}
