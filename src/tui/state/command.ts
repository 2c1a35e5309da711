import { keyLabel } from "../widgets/key.js";
import { AREAS, type Area, type Command, PANELS, type State } from "./state.js";

/** Defines commands of a group. `keys` are separated by spaces. */
export function inGroup(group: Command["group"]) {
  return (
    name: string,
    keys: string,
    where: string,
    help: string,
    rest: Partial<Command>,
  ): Command => ({ ...rest, group, name, keys: keys.split(" ").filter(Boolean), where, help });
}

/** The word in the footer, or `undefined` if the command isn't shown here. */
export function footerLabel(state: State, command: Command): string | undefined {
  const { name, where, label = name.replaceAll("-", " ") } = command;
  const area = areaOf(state);
  if (!area || !where.includes(area.charAt(0).toUpperCase())) return undefined;
  return typeof label === "function" ? label(state) : label;
}

export function actsIn({ where }: Command, area: Area | undefined): boolean {
  return area !== undefined && where.toLowerCase().includes(area.charAt(0));
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
