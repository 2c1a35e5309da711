import { REVEAL_MS } from "../browse/reveal.js";
import { ask } from "../edit/ask.js";
import { commandKeyName, type Key } from "../input/key.js";
import { type Step, step } from "../state/messages.js";
import { type ModeKey, runKey } from "../state/mode-keys.js";
import { type CredentialsMode, isQuitQuestion } from "../state/modes.js";
import type { NewCredentials } from "../state/ports.js";
import type { State } from "../state/state.js";
import { againText, isSecretShown } from "../view/ask-panel.js";

/** Shows new credentials, masked, over everything else. They answer a question whether to quit without them. */
export function showCredentials(state: State, credentials: NewCredentials): State {
  const back = isQuitQuestion(state.mode) ? state.mode.back : state.mode;
  return { ...state, mode: { kind: "credentials", credentials, back } };
}

export const CREDENTIALS_KEYS: readonly ModeKey<CredentialsMode>[] = [
  { keys: "y", label: "copy", run: (state, { credentials }) => step(state, { type: "copyCredentials", credentials }) },
  { keys: "v", label: (state, mode) => `${isSecretShown(state, mode) ? "hide" : "show"} the secret`, run: showOrHide },
  { keys: "escape q", label: "close", run: close },
];

function close(state: State, { credentials: { environment } }: CredentialsMode): Step {
  const text = `Close the new credentials of ${environment}? ${againText(environment)}`;
  return ask(state, { title: "Close", text, answer: "Close", isDestructive: true });
}

export function credentialsKey(state: State, mode: CredentialsMode, key: Key): Step {
  return runKey(CREDENTIALS_KEYS, state, mode, commandKeyName(key)) ?? step(state);
}

function showOrHide(state: State, mode: CredentialsMode): Step {
  return step({ ...state, mode: { ...mode, until: isSecretShown(state, mode) ? undefined : state.now + REVEAL_MS } });
}
