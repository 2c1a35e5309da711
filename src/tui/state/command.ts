import type { Role } from "../text/theme.js";
import { keyLabel } from "../widgets/key.js";
import { type Next, PANELS, type State, type Step } from "./state.js";

/** In the order of the help. */
export const COMMAND_GROUPS = ["Find", "Values", "Edit", "Move", "Other"] as const;

/** All places that have commands: the panels of the list, the matrix and comparisons. */
const AREAS = [...PANELS, "matrix", "diff"] as const;
export type Area = (typeof AREAS)[number];

/** Something to choose: a place, a format. */
export interface Choice {
  readonly label: string;
  readonly role?: Role;
  readonly help?: string | undefined;
  /** The heading that it is below. */
  readonly group?: string | undefined;
  readonly run: Next;
}

/**
 * Something that a user can run with a key or as `:name`. The footer, the help and `:` show this.
 */
export interface Command {
  readonly name: string;
  /** Names of the keys; the first one is shown in the footer. */
  readonly keys: readonly string[];
  /** Where its keys work. A command of one list panel can be run by name in all of them. */
  readonly areas: readonly Area[];
  /** Where of these the footer shows it. */
  readonly shownIn: readonly Area[];
  /** The word there; undefined if it isn't shown now. By default the name. */
  readonly label?: string | ((state: State) => string | undefined);
  readonly help: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  /** The argument after `:` and the word, such as `<place>`. */
  readonly argument?: string;
  /** The values of the argument, which otherwise is any text. @param typed the argument so far */
  readonly choices?: (state: State, typed: string) => readonly Choice[];
  /**
   * Whether a number repeats it. Only for moves: the effects of all but the last step are dropped.
   */
  readonly repeats?: true;
  /** Why it can't run now; undefined if it can. */
  readonly whyNot?: (state: State) => string | undefined;
  /**
   * Undefined if screens say what it does.
   *
   * @param argument the text after the word if there are no choices; `""` for a key
   */
  readonly run?: ((state: State, argument: string) => Step) | undefined;
}

type CommandOptions = Pick<
  Command,
  "label" | "argument" | "choices" | "repeats" | "whyNot" | "run"
>;

/**
 * Commands of a group. Their keys are separated by spaces. Where they act has a letter for each
 * place, which is a capital where the footer shows them: `vrMD` is for variables and the record,
 * and for the matrix and comparisons with a hint.
 */
export function inGroup(group: Command["group"]) {
  return (
    name: string,
    keys: string,
    where: string,
    help: string,
    rest: CommandOptions,
  ): Command => {
    const areasOf = (letters: string) => AREAS.filter((area) => letters.includes(area.charAt(0)));
    const names = keys.split(" ").filter(Boolean);
    const shownIn = areasOf(where.replace(/[a-z]/g, "").toLowerCase());
    return {
      group,
      name,
      keys: names,
      areas: areasOf(where.toLowerCase()),
      shownIn,
      help,
      ...rest,
    };
  };
}

/** The word for a command in the footer; undefined if it isn't shown here. */
export function footerLabel(state: State, command: Command): string | undefined {
  const { name, shownIn, label = name.replaceAll("-", " ") } = command;
  const where = areaOf(state);
  if (where === undefined || !shownIn.includes(where)) return undefined;
  return typeof label === "function" ? label(state) : label;
}

export function actsIn({ areas }: Command, area: Area | undefined): boolean {
  return area !== undefined && areas.includes(area);
}

/** Whether it acts in the list, so that it can be run by its name. */
export function isListCommand(command: Command): boolean {
  return PANELS.some((panel) => actsIn(command, panel));
}

/** Where the cursor is; undefined on screens without commands. */
export function areaOf({ stack, focus }: Pick<State, "stack" | "focus">): Area | undefined {
  const open = stack.at(-1);
  return open ? AREAS.find((each) => each === open.screen.name) : focus;
}

/** How the key of each command is shown, for `shownKey`. */
export function keysByName(commands: readonly Command[]): ReadonlyMap<string, string> {
  return new Map(
    commands.flatMap(({ name, keys: [key] }) => (key === undefined ? [] : [[name, keyLabel(key)]])),
  );
}

/**
 * The way to run a command while browsing, for notices and hints: its key, or `:name` if it has
 * none.
 */
export function shownKey(
  { preferences: { keys } }: Pick<State, "preferences">,
  name: string,
): string {
  return keys?.get(name) ?? `:${name}`;
}
