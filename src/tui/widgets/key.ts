export interface Key {
  /** `up`, `pagedown`, `enter`, `shift-tab`, `ctrl-c` and so on; for text the text itself; `paste` for pasted text. */
  readonly name: string;
  /** The text that it types, or `""`. */
  readonly text: string;
}

/** The name of a key that is a paste, even a paste of one character. */
export const PASTE = "paste";

/** The name of the key where keys are commands; `""` for a paste, so that pasted text never runs a command. */
export function commandKeyName(key: Key): string {
  return key.name === PASTE ? "" : key.name === " " ? "space" : key.name;
}

/** The name of the key where text is typed; `""` if it types text. */
export function editKeyName(key: Key): string {
  return key.text === "" ? key.name : "";
}

/** The keys that work everywhere: they quit, suspend and redraw. */
export const GLOBAL_KEYS: readonly string[] = ["ctrl-c", "ctrl-z", "ctrl-l"];

const LABELS: Readonly<Record<string, string>> = {
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  pageup: "PgUp",
  pagedown: "PgDn",
  home: "Home",
  end: "End",
  enter: "Enter",
  escape: "Esc",
  space: "Space",
  tab: "Tab",
  "shift-tab": "Shift-Tab",
};

export function keyLabel(name: string): string {
  if (LABELS[name] || name.length === 1) return LABELS[name] ?? name;
  // `ctrl-s` is Ctrl-S, `ctrl-left` Ctrl-←, and `f5` F5.
  const [, prefix = "", key = ""] = /^(ctrl-|alt-|)(.+)$/.exec(name) ?? [];
  return capitalized(prefix) + (LABELS[key] ?? (key.length > 3 ? capitalized(key) : key.toUpperCase()));
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const NAMES = new Map(Object.entries(LABELS).map(([name, label]) => [label, name]));

/** The name of the key with this label; undefined for a label of several keys, such as `↑↓`. */
export function keyOfLabel(label: string): string | undefined {
  const [, prefix = "", key = label] = /^((?:Ctrl|Alt)-)(.+)$/.exec(label) ?? [];
  const name = NAMES.get(key) ?? (prefix !== "" || /^F\d+$/.test(key) ? key.toLowerCase() : key);
  return NAMES.has(key) || key.length === 1 || name !== key ? prefix.toLowerCase() + name : undefined;
}

/** An action of the mouse, at a cell of the screen that counts from 0. */
export interface Mouse {
  readonly action: "press" | "wheel-up" | "wheel-down";
  readonly column: number;
  readonly row: number;
}

/** A press, for telling a double click. */
export interface Press extends Mouse {
  /** Milliseconds on a monotonic clock. */
  readonly at: number;
  /** The name of the screen on which it was made. */
  readonly screen: string;
}

const DOUBLE_CLICK_MS = 400;

/** Whether a press follows another one on the same cell quickly. */
export function isDouble(first: Press | undefined, second: Press): boolean {
  return (
    first !== undefined &&
    second.at - first.at <= DOUBLE_CLICK_MS &&
    first.column === second.column &&
    first.row === second.row
  );
}
