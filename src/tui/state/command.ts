import { keyLabel } from "../widgets/key.js";
import { notify, type PanelName, type State, type Step } from "./state.js";
import { step } from "./work.js";

/** In the order of the help. */
export const COMMAND_GROUPS = ["Find", "Values", "Edit", "Move", "Other"] as const;

/** An argument of a command. */
export interface Choice {
  readonly text: string;
  readonly help?: string;
}

/** Something that a person can run with a key or as `:name`. The footer, the help and `:` show this. */
export interface Command {
  readonly name: string;
  /** Names of the keys; the first one is shown in the footer. */
  readonly keys: readonly string[];
  /** The panels in which the keys act, by default all. By its name it runs in each. */
  readonly panels?: readonly PanelName[];
  /** A word for the footer, by default the name; undefined if it isn't shown there, or not now. */
  readonly label?: string | undefined | ((state: State) => string | undefined);
  readonly help: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  /** The argument after `:` and the word, such as `<place>`. */
  readonly argument?: string;
  /** Candidates for the argument. @param typed the argument so far */
  readonly choices?: (state: State, typed: string) => readonly (Choice | string)[];
  /** That the argument can be another text than one of the choices: a path, or anything. */
  readonly accepts?: "path" | "text";
  /** Whether it does nothing without its argument. */
  readonly needsArgument?: boolean;
  /** Why it can't run now; undefined if it can. */
  readonly disabledReason?: (state: State) => string | undefined;
  /** @param argument the text after the word, trimmed; `""` for a key */
  readonly run: (state: State, argument: string) => Step;
}

/** @param keys separated by spaces; `""` for a command that only has a name */
export function command(
  group: Command["group"],
  name: string,
  keys: string,
  help: string,
  rest: Omit<Command, "group" | "name" | "keys" | "help">,
): Command {
  return { group, name, keys: keys === "" ? [] : keys.split(" "), help, label: name, ...rest };
}

export function actsIn({ panels }: Command, panel: PanelName): boolean {
  return panels === undefined || panels.includes(panel);
}

/** How the key of each command is shown, for `keyOf`. */
export function keysByName(commands: readonly Command[]): ReadonlyMap<string, string> {
  return new Map(commands.flatMap(({ name, keys: [key] }) => (key === undefined ? [] : [[name, keyLabel(key)]])));
}

/** The way to run a command while browsing, for notices and hints: its key, or `:name` if it has none. */
export function keyOf({ preferences: { keys } }: Pick<State, "preferences">, name: string): string {
  return keys?.get(name) ?? `:${name}`;
}

/** A key of a mode, which its handler runs and the footer shows. */
export interface ModeKey<M> {
  /** Names of the keys, separated by spaces; the first is shown. */
  readonly keys: string;
  /** A word for the footer; undefined if it isn't shown there. */
  readonly label?: string | ((state: State, mode: M) => string);
  /** Its description in the help. Default the label. */
  readonly help?: string;
  /** Why it can't run now; undefined if it can. */
  readonly whyNot?: (state: State, mode: M) => string | undefined;
  readonly run: (state: State, mode: M) => Step;
}

/** Runs the action of a key, or shows why it can't run now. Undefined if the mode has no such key. */
export function runKey<M>(table: readonly ModeKey<M>[], state: State, mode: M, name: string): Step | undefined {
  const key = table.find(({ keys }) => keys.split(" ").includes(name));
  if (!key) return undefined;
  const reason = key.whyNot?.(state, mode);
  return reason === undefined ? key.run(state, mode) : step(notify(state, reason, "error"));
}

/** The keys that have a label and work now. */
export function workingKeys<M>(table: readonly ModeKey<M>[], state: State, mode: M) {
  return table.flatMap(({ keys, label, whyNot }) => {
    const [name = ""] = keys.split(" ");
    if (label === undefined || whyNot?.(state, mode) !== undefined) return [];
    return [{ key: keyLabel(name), name, label: typeof label === "string" ? label : label(state, mode) }];
  });
}

export interface KeyHelp {
  readonly keys: readonly string[];
  readonly text: string;
}

/** The keys of a screen, for its help. */
export function keyHelp<M>(table: readonly ModeKey<M>[]): readonly KeyHelp[] {
  return table.map(({ keys, label, help }) => {
    return { keys: keys.split(" "), text: help ?? (typeof label === "string" ? label : "") };
  });
}
