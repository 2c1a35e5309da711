import { keyLabel } from "../widgets/key.js";
import { AREAS, type Area, type Command, PANELS, type Refusal, type State } from "./state.js";

export function refusalText(reason: Refusal | undefined): string | undefined {
  return typeof reason === "object" ? "still reading" : reason;
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
export function areaOf({ stack, focus }: State): Area | undefined {
  const open = stack.at(-1);
  return open ? AREAS.find((each) => each === open.screen.name) : focus;
}

/** The first key of a command, or `:name` without one. */
export function shownKey({ commands }: State, name: string): string {
  const [key] = commands.find((command) => command.name === name)?.keys ?? [];
  return key === undefined ? `:${name}` : keyLabel(key);
}
