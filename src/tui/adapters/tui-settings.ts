import { join } from "node:path";
import { foreignWriter } from "../../kit/files/owners.js";
import { withSubject } from "../../kit/text/errors.js";
import { BOOLEAN, optional, type Rule, rule, TEXT } from "../../kit/text/rules.js";
import {
  parseSettingsFile,
  readSettingsFile,
  UnusableFileError,
} from "../../tasks/settings/settings-file.js";
import type { Caller } from "../../tasks/surroundings.js";
import { withKeymap } from "../commands/keymap.js";
import {
  COLUMN_NAMES,
  type ColumnChoice,
  type ColumnName,
  type Command,
  type Preferences,
  type State,
} from "../state/state.js";
import { THEME_NAMES, type ThemeName } from "../text/theme.js";

/** The section as it is in the file. */
interface Section extends Pick<Preferences, "masked"> {
  readonly theme?: ThemeName;
  readonly mouse?: boolean;
  readonly columns?: readonly (ColumnName | ColumnChoice)[];
  /** The keys of commands. */
  readonly keymap?: Readonly<Record<string, string | readonly string[]>>;
  /** Seconds. */
  readonly poll_interval?: number;
}

const COLUMN = `be one of ${COLUMN_NAMES.join(", ")}, or an object with one of these names and a width`;
const columnName = rule({ oneOf: COLUMN_NAMES, must: COLUMN });
const width = optional(rule({ integerRange: [4, 200] }));
const ownColumn = rule({ fields: { name: rule({ oneOf: COLUMN_NAMES }), width }, must: COLUMN });
const COLUMNS = "be a list of columns, each once, with name among them";
const columns = rule({
  items: rule({ choose: (input) => (typeof input === "string" ? columnName : ownColumn) }),
  must: COLUMNS,
  problem: (all: NonNullable<Section["columns"]>) => {
    const names = new Set(all.map((each) => toColumn(each).name));
    return names.size === all.length && names.has("name") ? undefined : `must ${COLUMNS}`;
  },
});

const keyList = rule({ items: TEXT, must: "be a key or a list of keys" });
const keys = rule({ choose: (input) => (typeof input === "string" ? TEXT : keyList) });
const SECONDS = "be a whole number of seconds from 1 to 3600";

const section: Record<keyof Section, Rule> = {
  theme: optional(rule({ oneOf: THEME_NAMES })),
  mouse: optional(BOOLEAN),
  columns: optional(columns),
  masked: optional(rule({ oneOf: ["secret", "all"], must: "be secret or all" })),
  keymap: optional(rule({ members: keys, must: "be an object with the keys of commands" })),
  poll_interval: optional(rule({ integerRange: [1, 3_600], must: SECONDS })),
};
const FILE = rule({
  fields: { $schema: optional(TEXT), tui: optional(rule({ fields: section })) },
  must: "be a JSON object",
});

function toColumn(column: ColumnName | ColumnChoice): ColumnChoice {
  return typeof column === "string" ? { name: column } : column;
}

export type TuiSettings = Omit<Section, "columns" | "keymap"> &
  Pick<Preferences, "columns"> &
  Pick<State, "commands">;

/**
 * Reads the section `tui` of the user's settings file. A project can't have
 * such a section, because it could remap keys. For the same reason, a file that
 * another user may have written is ignored, with a notice.
 *
 * @param defaults the commands with their default keys
 * @throws UsageError that names the file and the setting
 */
export function readTuiSettings(caller: Caller, defaults: readonly Command[]): TuiSettings {
  const path = join(caller.surroundings.folders.config, "settings.json");
  const { keymap = {}, columns, ...settings } = readOwn(path, caller);
  const lists = Object.entries(keymap).map(([name, keys]) => [name, [keys].flat()] as const);
  return {
    ...settings,
    ...(columns && { columns: columns.map(toColumn) }),
    commands: withSubject(`${path}: tui`, () => withKeymap(defaults, new Map(lists))),
  };
}

/**
 * Reads the user's own settings file. Returns `{}` if there is none, or it
 * can't be used.
 */
function readOwn(path: string, { surroundings, note }: Caller): Section {
  try {
    const file = readSettingsFile(path);
    if (!file) return {};
    const foreign = foreignWriter(file.stats, surroundings);
    if (foreign) throw new UnusableFileError(`${path} ${foreign}`);
    return parseSettingsFile<{ tui?: Section }>(file, FILE).tui ?? {};
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error;
    note(`continuing without settings: ${error.message}`, "once");
    return {};
  }
}
