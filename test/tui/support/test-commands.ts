import type { Command } from "../../../src/tui/state/command.js";
import { step } from "../../../src/tui/state/work.js";

function command(
  keys: string,
  name: string,
  label: string | undefined,
  group: Command["group"],
  help: string,
): Command {
  return { name, keys: keys.split(" "), label, help, group, run: (state) => step(state) };
}

/** Commands like those of browse mode, without effects. */
export const COMMANDS: readonly Command[] = [
  command("down j", "down", undefined, "Move", "the next line"),
  command("up k", "up", undefined, "Move", "the line before"),
  command("tab", "next", "panel", "Move", "the next panel"),
  {
    ...command("enter", "open", "open", "Move", "opens the place under the cursor"),
    disabledReason: () => "no place is there",
  },
  command("/", "filter", "filter", "Find", "shows only matches in name or description, with any text between"),
  { ...command("t", "type", "type", "Find", "shows one type only"), argument: "<type>" },
  command("s", "sort", "sort", "Find", "sorts by id, name or type"),
  command("v", "reveal", "reveal", "Values", "shows the value for half a minute"),
  command("V", "reveal-all", undefined, "Values", "shows all values for half a minute"),
  command("y", "copy", "copy", "Values", "copies the value"),
  command("Y", "copy-as", undefined, "Values", "copies the value in another format"),
  command("d", "diff", "diff", "Values", "compares with another place"),
  command("e", "edit", "edit", "Edit", "changes the variable"),
  command("a", "add", "add", "Edit", "adds a variable"),
  command("x", "delete", "delete", "Edit", "deletes the variable"),
  command("u", "undo", undefined, "Edit", "takes the last edit back"),
  command("r", "refresh", "refresh", "Other", "reads it again"),
  command("?", "help", "help", "Other", "shows this"),
  command("q ctrl-c", "quit", "quit", "Other", "leaves"),
];
