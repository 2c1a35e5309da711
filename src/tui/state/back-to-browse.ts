import { tell } from "./notices.js";
import type { Notice, State } from "./state.js";

/** Back to the list, with a notice of what has come of it where there is something to tell. */
export function backToBrowse(state: State, text?: string, tone?: Notice["tone"]): State {
  const browsing: State = { ...state, mode: { kind: "browse" } };
  return text === undefined ? browsing : tell(browsing, text, tone);
}
