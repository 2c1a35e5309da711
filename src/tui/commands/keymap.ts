import { UsageError } from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import { actsIn } from "../state/command.js";
import { AREAS, type Command } from "../state/state.js";
import { GLOBAL_KEYS } from "../widgets/key.js";

/**
 * Keys other than characters, without Ctrl-H, I, J and M, which arrive as
 * Backspace, Tab and Enter.
 */
const NAMED_KEYS = [
  ...["up", "down", "left", "right", "pageup", "pagedown", "home", "end", "insert", "delete"],
  ...["enter", "escape", "tab", "shift-tab", "backspace", "space"],
  ...["ctrl-left", "ctrl-right"],
  ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`),
  ...Array.from("abdefgknopqrstuvwxy", (letter) => `ctrl-${letter}`),
  ...Array.from("abcdefghijklmnopqrstuvwxyz", (letter) => `alt-${letter}`),
];

/**
 * Replaces keys of commands. Keys that work everywhere are fixed.
 *
 * @param keymap the keys by the name of the command
 * @throws UsageError that begins with the entry, such as `keymap.delete`
 */
export function withKeymap(
  commands: readonly Command[],
  keymap: ReadonlyMap<string, readonly string[]>,
): readonly Command[] {
  for (const [name, keys] of keymap) checkEntry(name, keys, commands);
  const mapped = commands.map((command) => {
    const keys = keymap.get(command.name);
    const fixed = command.keys.filter((key) => GLOBAL_KEYS.includes(key));
    return keys ? { ...command, keys: [...keys, ...fixed] } : command;
  });
  for (const name of keymap.keys()) checkConflicts(name, mapped);
  return mapped;
}

function checkEntry(name: string, keys: readonly string[], commands: readonly Command[]): void {
  const names = commands.map((command) => command.name);
  if (!names.includes(name))
    throw new UsageError(`keymap: "${name}" is not a command${suggestion(name, names)}`);
  for (const key of keys) {
    if (GLOBAL_KEYS.includes(key)) {
      throw new UsageError(`keymap.${name}: ${key} is fixed and can't be remapped`);
    }
    if (NAMED_KEYS.includes(key) || /^[^\p{C}\p{Z}]$/u.test(key)) continue;
    throw new UsageError(
      `keymap.${name}: "${key}" is not a key${suggestion(key, NAMED_KEYS)}; a key is one character, or a name such as pagedown, f5, ctrl-s or alt-x`,
    );
  }
  if (name === "quit" && keys.length === 0) throw new UsageError("keymap.quit: quit needs a key");
}

/** Two commands can share a key if they act in different areas. */
function checkConflicts(name: string, commands: readonly Command[]): void {
  const own = commands.find((command) => command.name === name);
  for (const other of commands) {
    if (!own || other === own || !AREAS.some((area) => actsIn(own, area) && actsIn(other, area)))
      continue;
    const key = own.keys.find((each) => other.keys.includes(each));
    if (key === undefined) continue;
    throw new UsageError(
      `keymap.${name}: ${key} is also a key of ${other.name}; give ${other.name} another one, or none: []`,
    );
  }
}
