import type { Command } from "../state/command.js";
import { keyName } from "../state/key-name.js";
import type { Mode, State } from "../state/state.js";

/** A key that works now, and what it does in a word or two. */
export interface KeyHint {
  readonly key: string;
  readonly label: string;
}

const MODE_KEYS: Readonly<Record<Exclude<Mode["kind"], "browse">, readonly KeyHint[]>> = {
  filter: [
    { key: "Enter", label: "keep" },
    { key: "Esc", label: "undo" },
  ],
  command: [
    { key: "Enter", label: "run" },
    { key: "Esc", label: "back" },
  ],
  help: [
    { key: "↑↓", label: "scroll" },
    { key: "Esc", label: "back" },
  ],
  pick: [
    { key: "↑↓", label: "move" },
    { key: "Enter", label: "compare" },
    { key: "Esc", label: "back" },
  ],
  diff: [
    { key: "↑↓", label: "move" },
    { key: "v", label: "reveal" },
    { key: "V", label: "reveal all" },
    { key: "r", label: "refresh" },
    { key: "Esc", label: "back" },
  ],
  form: [
    { key: "Tab", label: "next field" },
    { key: "←→", label: "type" },
    { key: "Ctrl-S", label: "review" },
    { key: "Ctrl-J", label: "newline" },
    { key: "Esc", label: "back" },
  ],
  confirm: [
    { key: "y", label: "write" },
    { key: "n", label: "back" },
    { key: "v", label: "values" },
  ],
};

/** The keys of a mode that is not browsing. */
export function modeKeys(kind: Exclude<Mode["kind"], "browse">): readonly KeyHint[] {
  return MODE_KEYS[kind];
}

/** What works in every moment of browsing. */
export const ALWAYS: readonly KeyHint[] = [
  { key: "?", label: "help" },
  { key: "q", label: "quit" },
];

/** The keys of those commands that have a label and can be done now. */
export function browseKeys(state: State, commands: readonly Command[]): KeyHint[] {
  return commands.flatMap(({ keys: [key], label, whyNot }) => {
    if (key === undefined || label === undefined || whyNot?.(state) !== undefined) return [];
    return ALWAYS.some((always) => always.key === key) ? [] : [{ key: keyName(key), label }];
  });
}
