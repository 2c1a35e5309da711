export interface Key {
  /**
   * `up`, `pagedown`, `enter`, `shift-tab`, `ctrl-c` and so on; for text the text itself; `paste`
   * for pasted text.
   */
  readonly name: string;
  /** The text that it types, or `""`. */
  readonly text: string;
}

/** The name of a key that is a paste, even a paste of one character. */
export const PASTE = "paste";

/**
 * The name of the key where keys are commands; `""` for a paste, so that pasted text never runs a
 * command.
 */
export function commandKeyName(key: Key): string {
  return key.name === PASTE ? "" : key.name === " " ? "space" : key.name;
}

/** The name of the key where text is typed; `""` if it types text. */
export function editKeyName(key: Key): string {
  return key.text === "" ? key.name : "";
}

/** The key with a name, as if it was pressed. */
export function keyNamed(name: string): Key {
  return { name, text: name === "space" ? " " : name.length === 1 ? name : "" };
}

/** The keys that work everywhere: they quit, suspend and redraw. */
export const GLOBAL_KEYS: readonly string[] = ["ctrl-c", "ctrl-z", "ctrl-l"];

const LABELS: Readonly<Record<string, string>> = {
  pageup: "PgUp",
  pagedown: "PgDn",
  escape: "Esc",
};

/** `ctrl-s` is Ctrl-S. */
export function keyLabel(name: string): string {
  if (name.length === 1) return name;
  return LABELS[name] ?? name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}

const NAMES = new Map(Object.entries(LABELS).map(([name, label]) => [label, name]));

/** The name of the key with this label; undefined for a label of several keys, such as `↑↓`. */
export function keyOfLabel(label: string): string | undefined {
  const name = NAMES.get(label) ?? (label.length === 1 ? label : label.toLowerCase());
  return label.length === 1 || keyLabel(name) !== name ? name : undefined;
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
