import { backToBrowse } from "./back-to-browse.js";
import { bodyPage } from "./body-page.js";
import type { Key } from "./message.js";
import { scroll } from "./scroll.js";
import type { Mode, State } from "./state.js";
import { type Step, step } from "./step.js";
import { commandKeyName } from "./typed.js";

type Help = Extract<Mode, { readonly kind: "help" }>;

export function openHelp(state: State): Step {
  return step({ ...state, mode: { kind: "help", top: 0 } });
}

/** @param lines how many the help has in all */
export function helpKey(state: State, help: Help, key: Key, lines: number): Step {
  const name = commandKeyName(key);
  if (name === "escape" || name === "q" || name === "?") return step(backToBrowse(state));
  const top = scroll(help.top, lines, bodyPage(state), name);
  return step(top === undefined ? state : { ...state, mode: { kind: "help", top } });
}
