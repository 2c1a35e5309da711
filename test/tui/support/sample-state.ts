import type { VariableType } from "../../../src/domain/variable.js";
import type { Entry } from "../../../src/tui/ports.js";
import { initialState } from "../../../src/tui/state/initial-state.js";
import type { Mode, State } from "../../../src/tui/state/state.js";
import type { Step } from "../../../src/tui/state/step.js";

/** A text that must not be seen in a notice or a problem. */
export const SECRET = "s3cret-value";

export function entry(id: number, name: string, type: VariableType, value?: unknown, description = ""): Entry {
  const variable = { id, name, type, description };
  return {
    variable,
    value: value === undefined ? undefined : { id: 10 + id, variable_id: id, content: { value: value as never } },
  };
}

export const ENTRIES: readonly Entry[] = [
  entry(1, "DATABASE_URL", "STRING", SECRET, "Primary database"),
  entry(2, "PORT", "NUMBER", 3000),
  entry(3, "FLAGS", "JSON", { beta: [1, null] }),
  entry(4, "TOKEN", "STRING", "envbee:enc:v1:abc"),
  entry(5, "UNSET", "BOOLEAN", undefined, "Has no value here"),
];

/** The state with three places, the first of them open, editable and read. */
export function readyState(changes: Partial<State> = {}): State {
  const places = ["shop/development", "shop/test", "shop/production"].map((name) => {
    return { name, kind: "environment" as const, detail: "data.json" };
  });
  const [state] = initialState({ columns: 100, rows: 30, now: 1_000, places, place: 0 });
  const loaded = { ...state.loaded, phase: "ready" as const, entries: ENTRIES, isComplete: true, isEditable: true };
  return { ...state, loaded, list: { ...state.list, rows: ENTRIES.map((_, index) => index) }, ...changes };
}

/** The mode, which is of this kind, that it has come to. */
export function modeOf<K extends Mode["kind"]>(from: State | Step, kind: K): Extract<Mode, { readonly kind: K }> {
  const { mode } = "mode" in from ? from : from[0];
  if (!isKind(mode, kind)) throw new Error(`the mode is ${mode.kind}`);
  return mode;
}

function isKind<K extends Mode["kind"]>(mode: Mode, kind: K): mode is Extract<Mode, { readonly kind: K }> {
  return mode.kind === kind;
}
