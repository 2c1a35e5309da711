import type { VariableEntry } from "../../../src/domain/source.js";
import type { JsonValue, VariableType } from "../../../src/domain/variable.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { initialState } from "../../../src/tui/reading/read.js";
import { relist } from "../../../src/tui/reading/selection.js";
import { keysByName } from "../../../src/tui/state/command.js";
import { type PlaceInfo, type Reading, withReading } from "../../../src/tui/state/reading.js";
import type { List, Preferences, State } from "../../../src/tui/state/state.js";
import type { Key } from "../../../src/tui/widgets/key.js";
import { aVariable } from "../../support/records.js";

/** The time of test states in milliseconds. */
export const NOW = Date.UTC(2026, 0, 31);

/** A value that must not appear while it is masked; short, so that no column cuts it. */
export const SECRET = "hunter2";

let lastId = 0;

/** A variable with a value; without one when `value` is undefined. Ids ascend in the order of the calls. */
export function entry(name: string, value?: JsonValue, type: VariableType = "STRING", description = ""): VariableEntry {
  const id = ++lastId;
  return {
    variable: aVariable({ id, name, type, description }),
    value: value === undefined ? undefined : { id: 1_000 + id, variable_id: id, content: { value } },
  };
}

/** One of each kind. */
export const ENTRIES: readonly VariableEntry[] = [
  entry("DATABASE_URL", SECRET, "STRING", "Primary database"),
  entry("PORT", 3000, "NUMBER"),
  entry("FLAGS", { beta: [1, null] }, "JSON"),
  entry("TOKEN", "envbee:enc:v1:abc"),
  entry("UNSET", undefined, "BOOLEAN", "Has no value here"),
  entry("DEBUG", true, "BOOLEAN"),
];

const PLACES = ["shop/development", "shop/test", "shop/production"].map((name): PlaceInfo => {
  return { name, group: "shop", identity: name, kind: "environment", detail: "/srv/appvars.data.json" };
});

type Change = Partial<Omit<State, "list">> & {
  readonly loaded?: Partial<Reading>;
  readonly list?: Partial<List>;
};

const PREFERENCES: Preferences = { keys: keysByName(ALL_COMMANDS) };

/** Three places on a screen of 80x24, of which the first is being read for the first time. */
function loadingState(change: Change = {}): State {
  const [state] = initialState({ columns: 80, rows: 24, now: NOW, places: PLACES, place: 0, preferences: PREFERENCES });
  return changed(state, change);
}

/** The same, read, open for edits, and with all entries in the list. */
export function readyState(entries: readonly VariableEntry[] = ENTRIES, change: Change = {}): State {
  const read = { entries, total: entries.length, asOf: NOW, isComplete: true, isReading: false, nextAt: NOW + 1_000 };
  const editable = loadingState({ loaded: { ...read, isEditable: true, isLocal: true } });
  return changed(relist(editable), change);
}

function changed(before: State, { loaded = {}, ...change }: Change): State {
  const state = withReading({ ...before, ...change, list: { ...before.list, ...change.list } }, before.place, loaded);
  return state;
}

/** A key that types nothing. */
export function press(name: string): Key {
  return { name, text: "" };
}

/** A character that is typed with one key. */
export function type(text: string): Key {
  return { name: text, text };
}

export function paste(text: string): Key {
  return { name: "paste", text };
}
