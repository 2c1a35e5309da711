import type { Command } from "../state/command.js";
import { keyName } from "../state/key-name.js";
import type { Confirmation, Mode, State } from "../state/state.js";

/** A key that works now, and what it does in a word or two. */
export interface KeyHint {
  readonly key: string;
  readonly label: string;
}

type OtherKind = Exclude<Mode["kind"], "browse" | "confirm">;

const MODE_KEYS: Readonly<Record<OtherKind, readonly KeyHint[]>> = {
  filter: [
    { key: "Enter", label: "keep" },
    { key: "Esc", label: "cancel" },
  ],
  command: [
    { key: "Enter", label: "run" },
    { key: "Tab", label: "complete" },
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
    { key: "Ctrl-S", label: "review" },
    { key: "←→", label: "type" },
    { key: "Ctrl-J", label: "newline" },
    { key: "Esc", label: "cancel" },
  ],
};

/** The keys of a mode that is neither browsing nor a question. */
export function modeKeys(kind: OtherKind): readonly KeyHint[] {
  return MODE_KEYS[kind];
}

const DEEDS = { add: "add", edit: "change", delete: "delete", undo: "undo" } as const;

/** The keys that answer whether an edit is to be made. */
export function confirmKeys({ purpose, isRevealed }: Confirmation): readonly KeyHint[] {
  return [
    { key: "y", label: DEEDS[purpose] },
    { key: "n", label: "back" },
    { key: "v", label: isRevealed ? "hide values" : "show values" },
  ];
}

/** What works in every moment of browsing. */
export const ALWAYS: readonly KeyHint[] = [
  { key: "?", label: "help" },
  { key: "q", label: "quit" },
];

/** The keys of those commands that have a label and can be done now; in the list of places, first what opens one. */
export function browseKeys(state: State, commands: readonly Command[]): KeyHint[] {
  const isFirst = ({ name }: Command) => state.focus === "places" && name === "open";
  const sorted = [...commands.filter(isFirst), ...commands.filter((command) => !isFirst(command))];
  return sorted.flatMap(({ keys: [key], label, whyNot }) => {
    if (key === undefined || label === undefined || whyNot?.(state) !== undefined) return [];
    return ALWAYS.some((always) => always.key === key) ? [] : [{ key: keyName(key), label }];
  });
}
