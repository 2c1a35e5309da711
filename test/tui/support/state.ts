import type { JsonValue, VariableType } from "../../../src/domain/variable.js";
import type { Entry } from "../../../src/tui/ports.js";
import { initialState } from "../../../src/tui/state/initial-state.js";
import { loaded, withLoaded } from "../../../src/tui/state/loading.js";
import type { Key } from "../../../src/tui/state/message.js";
import type { State } from "../../../src/tui/state/state.js";

/** When test states are, in Unix milliseconds. */
export const NOW = Date.UTC(2026, 0, 31);

let lastId = 0;

/** A variable with a value; without one when `value` is undefined. Ids ascend in the order of the calls. */
export function entry(name: string, value?: JsonValue, type: VariableType = "STRING", description = ""): Entry {
  const id = ++lastId;
  return {
    variable: { id, name, type, description },
    value: value === undefined ? undefined : { id: 1_000 + id, variable_id: id, content: { value } },
  };
}

/** Two places, of which the first is being read for the first time. */
export function loadingState(change: Partial<State> = {}): State {
  const places = [
    { name: "development", kind: "environment", detail: "vars.json" },
    { name: "production", kind: "environment", detail: "vars.json" },
  ] as const;
  const [state] = initialState({ columns: 120, rows: 40, now: NOW, places, place: 0 });
  return { ...state, ...change };
}

/** The same, read, and open for edits. */
export function readyState(entries: readonly Entry[], change: Partial<State> = {}): State {
  const editable = withLoaded(loadingState(), { isEditable: true });
  return { ...loaded(editable, { entries, problem: undefined, requests: 3, now: NOW }), ...change };
}

/** A key that types nothing. */
export function press(name: string): Key {
  return { name, text: "" };
}

/** Text that is typed with one key, or pasted. */
export function type(text: string): Key {
  return { name: text, text };
}
