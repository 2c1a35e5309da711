import type { JsonValue, VariableType } from "../../../src/domain/variable.js";
import type { Entry } from "../../../src/tui/ports.js";
import { initialState } from "../../../src/tui/state/initial-state.js";
import type { List, Loaded, PlaceInfo, State } from "../../../src/tui/state/state.js";

/** What `state.now` is. */
export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

let lastId = 0;

/** A variable with a value, or without one where it is undefined. */
export function entry(name: string, type: VariableType, value: JsonValue | undefined, description = ""): Entry {
  const id = ++lastId;
  return {
    variable: { id, type, name, description },
    value: value === undefined ? undefined : { id: id + 100, variable_id: id, content: { value } },
  };
}

const PLACES: readonly PlaceInfo[] = [
  { name: "shop/development", kind: "environment", detail: "/srv/appvars.data.json" },
  { name: "shop/test", kind: "environment", detail: "/srv/appvars.data.json" },
  { name: "shop/production", kind: "environment", detail: "/srv/appvars.data.json" },
];

/** One variable of each kind. */
export const ENTRIES: readonly Entry[] = [
  entry("DATABASE_URL", "STRING", "postgres://localhost/shop_dev", "Primary database"),
  entry("PORT", "NUMBER", 3000, "Where the shop listens"),
  entry("DEBUG", "BOOLEAN", true, "Log every step"),
  entry("FLAGS", "JSON", { checkout_v2: true, themes: ["light", "dark"], retries: 3, owner: null }, "Feature flags"),
  entry("GREETING", "STRING", 'Hello, it\'s "development" 👋'),
  entry("SENTRY_DSN", "STRING", undefined, "Where errors are reported; only production reports them"),
];

type Overrides = Partial<Omit<State, "loaded" | "list">> & {
  readonly loaded?: Partial<Loaded>;
  readonly list?: Partial<List>;
};

/** A state with everything read and in browse mode, at 80x24. All entries are in the list. */
export function testState({ loaded, list, ...overrides }: Overrides = {}): State {
  const [state] = initialState({ columns: 80, rows: 24, now: NOW, places: PLACES, place: 0 });
  const entries = loaded?.entries ?? ENTRIES;
  return {
    ...state,
    loaded: {
      ...state.loaded,
      phase: "ready",
      entries,
      isComplete: true,
      total: entries.length,
      asOf: NOW - 3_000,
      isEditable: true,
      ...loaded,
    },
    list: { ...state.list, rows: Array.from(entries.keys()), ...list },
    ...overrides,
  };
}
