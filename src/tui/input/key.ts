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

/** The keys that work in every mode. */
export const GLOBAL_KEYS = [
  { key: "ctrl-c", effect: "quit" },
  { key: "ctrl-z", effect: "suspend" },
  { key: "ctrl-l", effect: "redraw" },
] as const;

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
  const name =
    NAMES.get(label) ?? label.replace(/^Ctrl-(.)$/, (_match, letter: string) => `ctrl-${letter.toLowerCase()}`);
  return name.length === 1 || NAMES.has(label) || label.startsWith("Ctrl-") ? name : undefined;
}
