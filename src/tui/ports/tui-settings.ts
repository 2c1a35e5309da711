import { join } from "node:path";
import * as v from "valibot";
import { foreignWriter } from "../../kit/files/owners.js";
import { UsageError, withSubject } from "../../kit/text/errors.js";
import {
  parseSettingsFile,
  readSettingsFile,
  UnusableFileError,
} from "../../tasks/settings/settings-file.js";
import type { Caller } from "../../tasks/surroundings.js";
import { withKeymap } from "../commands/keymap.js";
import type { Command } from "../state/command.js";
import { COLUMN_NAMES } from "../state/state.js";
import { THEME_NAMES } from "../text/theme.js";

const columnName = v.picklist(COLUMN_NAMES);

/** Checks for an object that is not an array. */
function object(rule = "must be an object") {
  return v.custom<object>(
    (input) => typeof input === "object" && input !== null && !Array.isArray(input),
    rule,
  );
}

/** Checks for a whole number. @param what the unit in the error message, such as ` of seconds` */
function whole(what: string, min: number, max: number) {
  const rule = `must be a whole number${what} from ${min} to ${max}`;
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(min, rule), v.maxValue(max, rule));
}

const toColumn = v.transform((name: v.InferOutput<typeof columnName>) => ({ name }));
const ownColumn = v.strictObject({ name: columnName, width: v.optional(whole("", 4, 200)) });
const column = v.union(
  [v.pipe(columnName, toColumn), ownColumn],
  `must be one of ${COLUMN_NAMES.join(", ")}, or an object with one of these names and a width`,
);
const COLUMNS = "must be a list of columns, each once, with name among them";
const columns = v.pipe(
  v.array(column, COLUMNS),
  v.check((all) => {
    const names = new Set(all.map(({ name }) => name));
    return names.size === all.length && names.has("name");
  }, COLUMNS),
);

const toList = v.transform((key: string) => [key]);
const keys = v.union(
  [v.pipe(v.string(), toList), v.array(v.string())],
  "must be a key or a list of keys",
);
// A Map: valibot drops some names from objects, such as `constructor`.
const toMap = v.transform((object: object) => new Map(Object.entries(object)));

const section = v.strictObject({
  theme: v.optional(v.picklist(THEME_NAMES, `must be one of ${THEME_NAMES.join(", ")}`)),
  mouse: v.optional(v.boolean("must be true or false")),
  columns: v.optional(columns),
  masked: v.optional(v.picklist(["secret", "all"], "must be secret or all")),
  keymap: v.optional(
    v.pipe(object("must be an object with the keys of commands"), toMap, v.map(v.string(), keys)),
  ),
  poll_interval: v.optional(whole(" of seconds", 1, 3_600)),
});
const file = v.strictObject({
  $schema: v.optional(v.string("must be a string")),
  tui: v.optional(v.pipe(object(), section)),
});

export type TuiSettings = Omit<v.InferOutput<typeof section>, "keymap"> & {
  readonly commands: readonly Command[];
};

/**
 * Reads the section `tui` of the user's settings file. A project can't have such a section, because
 * it could remap keys. For the same reason, a file that another user may have written is ignored,
 * with a notice.
 *
 * @param defaults the commands with their default keys
 * @throws UsageError that names the file and the setting
 */
export function readTuiSettings(caller: Caller, defaults: readonly Command[]): TuiSettings {
  const path = join(caller.surroundings.folders.config, "settings.json");
  const content = readOwn(path, caller);
  const result = v.safeParse(file, content);
  if (!result.success) throw new UsageError(describe(result.issues[0], path));
  const { keymap: own = new Map(), ...settings } = result.output.tui ?? {};
  return { ...settings, commands: withSubject(`${path}: tui`, () => withKeymap(defaults, own)) };
}

/** Reads the user's own settings file. Returns `{}` if there is none. */
function readOwn(path: string, { surroundings, note }: Caller): unknown {
  try {
    const found = readSettingsFile(path);
    if (!found) return {};
    const foreign = foreignWriter(found.stats, surroundings);
    if (foreign) throw new UnusableFileError(`${path} ${foreign}`);
    return parseSettingsFile(found);
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error;
    note(`continuing without settings: ${error.message}`, "once");
    return {};
  }
}

/** `settings.json: tui.mouse must be true or false` */
function describe({ path, message, type, expected }: v.BaseIssue<unknown>, file: string): string {
  const place = (path ?? []).map(({ key }) => String(key)).join(".");
  const isUnknown = type === "strict_object" && expected === "never";
  return `${file}: ${place} ${isUnknown ? "is not a setting" : message}`;
}
