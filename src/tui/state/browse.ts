import type { Command } from "./command.js";
import type { Key } from "./message.js";
import { tell } from "./notices.js";
import type { State } from "./state.js";
import { type Step, step } from "./step.js";
import { commandKeyName } from "./typed.js";

/** A key where nothing is being typed: runs its command, or tells why that can't be done. */
export function browseKey(state: State, key: Key, commands: readonly Command[]): Step {
  const name = commandKeyName(key);
  const command = commands.find(({ keys }) => keys.includes(name));
  if (!command) return step(state);
  const reason = command.whyNot?.(state);
  return reason === undefined ? command.run(state, "") : step(tell(state, reason, "error"));
}
