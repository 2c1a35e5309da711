import type { Role } from "../text/theme.js";
import { keyLabel } from "../widgets/key.js";
import { type Next, PANELS, type State, type Step } from "./state.js";

/** The groups in the order in which the help shows them. */
export const COMMAND_GROUPS = ["Find", "Values", "Edit", "Move", "Other"] as const;

/**
 * The areas that have commands: the panels of the list, the matrix and
 * comparisons.
 */
const AREAS = [...PANELS, "matrix", "diff"] as const;
export type Area = (typeof AREAS)[number];

export interface Choice {
  readonly label: string;
  readonly role?: Role;
  readonly help?: string | undefined;
  /** The heading under which it is listed. */
  readonly group?: string | undefined;
  readonly run: Next;
}

/** Why a command can't run now. With `wait`, it can once the place is read. */
export type Refusal = string | { readonly wait: true };

export function refusalText(reason: Refusal | undefined): string | undefined {
  return typeof reason === "object" ? "still reading" : reason;
}

/**
 * A command that runs by a key or as `:name`. The footer, the help and `:` are
 * made from it.
 */
export interface Command {
  readonly name: string;
  /** Names of keys. The footer shows the first one. */
  readonly keys: readonly string[];
  /**
   * The areas where its keys work. A command of one list panel can be run by
   * name in all of them.
   */
  readonly areas: readonly Area[];
  /** The areas in which the footer shows it. */
  readonly shownIn: readonly Area[];
  /** The word in the footer, or `undefined` to hide it now. Default: the name. */
  readonly label?: string | ((state: State) => string | undefined);
  readonly help: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  /** The argument after `:name`, such as `<place>`. */
  readonly argument?: string;
  /**
   * The values of the argument. Default: any text.
   *
   * @param typed the argument typed so far
   */
  readonly choices?: (state: State, typed: string) => readonly Choice[];
  /**
   * Whether a number before the key repeats it. Only for moves, since only the
   * last step's effects run.
   */
  readonly repeats?: true;
  /** Returns why the command can't run now, or `undefined` if it can. */
  readonly whyNot?: (state: State) => Refusal | undefined;
  /**
   * `undefined` if only screens handle the command.
   *
   * @param argument the text after the name if there are no choices, `""` for a key
   */
  readonly run?: ((state: State, argument: string) => Step) | undefined;
}

type CommandOptions = Pick<
  Command,
  "label" | "argument" | "choices" | "repeats" | "whyNot" | "run"
>;

/**
 * Defines commands of a group. `keys` are separated by spaces. `where` has the
 * initial of each area in which the command acts, in upper case if the footer
 * shows it there: `vrMD` acts on variables and the record, and in the matrix
 * and comparisons with a hint.
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

/** The word in the footer, or `undefined` if the command isn't shown here. */
export function footerLabel(state: State, command: Command): string | undefined {
  const { name, shownIn, label = name.replaceAll("-", " ") } = command;
  const where = areaOf(state);
  if (where === undefined || !shownIn.includes(where)) return undefined;
  return typeof label === "function" ? label(state) : label;
}

export function actsIn({ areas }: Command, area: Area | undefined): boolean {
  return area !== undefined && areas.includes(area);
}

/** Whether a command acts in the list, and runs by name. */
export function isListCommand(command: Command): boolean {
  return PANELS.some((panel) => actsIn(command, panel));
}

/** The area of the cursor, or `undefined` on screens without commands. */
export function areaOf({ stack, focus }: Pick<State, "stack" | "focus">): Area | undefined {
  const open = stack.at(-1);
  return open ? AREAS.find((each) => each === open.screen.name) : focus;
}

/** The label of the first key of each command, for `shownKey`. */
export function keysByName(commands: readonly Command[]): ReadonlyMap<string, string> {
  return new Map(
    commands.flatMap(({ name, keys: [key] }) => (key === undefined ? [] : [[name, keyLabel(key)]])),
  );
}

/** The key of a command, or `:name` without one. */
export function shownKey(
  { preferences: { keys } }: Pick<State, "preferences">,
  name: string,
): string {
  return keys?.get(name) ?? `:${name}`;
}
