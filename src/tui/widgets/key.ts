export interface Key {
  /**
   * `up`, `pagedown`, `enter`, `shift-tab`, `ctrl-c`, … or the text that the
   * key types.
   */
  readonly name: string;
  /** The typed text, or `""`. */
  readonly text: string;
}

/** The name of pasted text, even of a single character. */
export const PASTE = "paste";

/** The name of a key that can run a command: `""` for a paste. */
export function commandKeyName(key: Key): string {
  return key.name === PASTE ? "" : key.name === " " ? "space" : key.name;
}

/** Returns `""` for a key that types text. */
export function editKeyName(key: Key): string {
  return key.text === "" ? key.name : "";
}

export function keyNamed(name: string): Key {
  return { name, text: name === "space" ? " " : name.length === 1 ? name : "" };
}

/** The keys that work everywhere: quit, suspend and redraw. */
export const GLOBAL_KEYS: readonly string[] = ["ctrl-c", "ctrl-z", "ctrl-l"];

const LABELS: Readonly<Record<string, string>> = {
  pageup: "PgUp",
  pagedown: "PgDn",
  escape: "Esc",
};

/** The label of a key: `Ctrl-S` for `ctrl-s`. */
export function keyLabel(name: string): string {
  if (name.length === 1) return name;
  return LABELS[name] ?? name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}

const NAMES = new Map(Object.entries(LABELS).map(([name, label]) => [label, name]));

/**
 * The name of a key by its label, or `undefined` for several keys, such as
 * `↑↓`.
 */
export function keyOfLabel(label: string): string | undefined {
  const name = NAMES.get(label) ?? (label.length === 1 ? label : label.toLowerCase());
  return label.length === 1 || keyLabel(name) !== name ? name : undefined;
}

/** Column and row count from 0. */
export interface Mouse {
  readonly action: "press" | "wheel-up" | "wheel-down";
  readonly column: number;
  readonly row: number;
}

export interface Press extends Mouse {
  /** Milliseconds on a monotonic clock. */
  readonly at: number;
  /** The name of the screen. */
  readonly screen: string;
}
