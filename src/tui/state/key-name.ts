const NAMES: Readonly<Record<string, string>> = {
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
  tab: "Tab",
  "shift-tab": "Shift-Tab",
  backspace: "Backspace",
  delete: "Del",
  " ": "Space",
};

/** A key as people call it. */
export function keyName(key: string): string {
  return NAMES[key] ?? key.replace(/^ctrl-(.)$/, (_match, letter: string) => `Ctrl-${letter.toUpperCase()}`);
}
