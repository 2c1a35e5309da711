/** What text is, as far as colour can tell it. Nothing is told by colour alone. */
export type Role =
  | "text"
  | "muted"
  | "accent"
  | "match"
  | "success"
  | "warning"
  | "danger"
  | "string"
  | "number"
  | "boolean"
  | "json";

/** What chalk makes of a text. */
export interface TextStyle {
  /** `#rrggbb`; the terminal's own where there is none. */
  readonly color?: string;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly underline?: boolean;
}

export type Theme = Readonly<Record<Role, TextStyle>>;

const THEME_NAMES = ["auto", "dark", "light", "plain"] as const;
export type ThemeName = (typeof THEME_NAMES)[number];

/** The colours of all roles but `text`, which is the terminal's own. */
type Palette = Readonly<Record<Exclude<Role, "text">, string>>;

/** As far from black as from white: a contrast of 4.5 and more to both. Whoever edits one looks at the test. */
const AUTO: Palette = {
  muted: "#767676",
  accent: "#1f75d8",
  match: "#cd359a",
  success: "#22873b",
  warning: "#af640e",
  danger: "#d63d43",
  string: "#22873b",
  number: "#af640e",
  boolean: "#9b55ce",
  json: "#10828c",
};

const DARK: Palette = {
  muted: "#9a9fa8",
  accent: "#6cb6ff",
  match: "#ff8fd0",
  success: "#6bd086",
  warning: "#f0b45c",
  danger: "#ff8a86",
  string: "#6bd086",
  number: "#f0b45c",
  boolean: "#cfa3ff",
  json: "#5fd0dc",
};

const LIGHT: Palette = {
  muted: "#5c6370",
  accent: "#0b57c0",
  match: "#a3136f",
  success: "#146c2e",
  warning: "#8a4b00",
  danger: "#b3202a",
  string: "#146c2e",
  number: "#8a4b00",
  boolean: "#7431a8",
  json: "#00646e",
};

const PLAIN: Theme = {
  text: {},
  muted: { dimColor: true },
  accent: { bold: true },
  match: { bold: true, underline: true },
  success: { bold: true },
  warning: { bold: true },
  danger: { bold: true },
  string: {},
  number: {},
  boolean: {},
  json: {},
};

/**
 * How each role looks. `auto` is legible on black and on white, `dark` and `light` on theirs, and `plain` has no
 * colour: for NO_COLOR.
 */
export function createTheme(name: ThemeName): Theme {
  if (name === "plain") return PLAIN;
  const { muted, accent, match, success, warning, danger, ...values } = { auto: AUTO, dark: DARK, light: LIGHT }[name];
  return {
    text: {},
    muted: { color: muted },
    accent: { color: accent, bold: true },
    match: { color: match, bold: true, underline: true },
    success: { color: success },
    warning: { color: warning },
    danger: { color: danger, bold: true },
    string: { color: values.string },
    number: { color: values.number },
    boolean: { color: values.boolean },
    json: { color: values.json },
  };
}
