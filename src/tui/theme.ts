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

/** How text is painted. */
export interface TextStyle {
  /** `#rrggbb`; the terminal's own where there is none. */
  readonly color?: string;
  /** The same, as far as it can be, where a terminal has 256 colours: a number of xterm's from 16 on. */
  readonly ansi256?: number;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly underline?: boolean;
}

export type Theme = Readonly<Record<Role, TextStyle>>;

const THEME_NAMES = ["auto", "dark", "light", "plain"] as const;
export type ThemeName = (typeof THEME_NAMES)[number];

/** The colours of all roles but `text`, which is the terminal's own. */
type Palette = Readonly<Record<Exclude<Role, "text">, readonly [color: string, ansi256: number]>>;

/** As far from black as from white: legible on both. Whoever edits one looks at the test. */
const AUTO: Palette = {
  muted: ["#767676", 243],
  accent: ["#1f75d8", 63],
  match: ["#cd359a", 163],
  success: ["#22873b", 28],
  warning: ["#af640e", 130],
  danger: ["#d63d43", 161],
  string: ["#22873b", 28],
  number: ["#af640e", 130],
  boolean: ["#9b55ce", 133],
  json: ["#10828c", 30],
};

const DARK: Palette = {
  muted: ["#9a9fa8", 247],
  accent: ["#6cb6ff", 75],
  match: ["#ff8fd0", 212],
  success: ["#6bd086", 114],
  warning: ["#f0b45c", 215],
  danger: ["#ff8a86", 210],
  string: ["#6bd086", 114],
  number: ["#f0b45c", 215],
  boolean: ["#cfa3ff", 183],
  json: ["#5fd0dc", 80],
};

const LIGHT: Palette = {
  muted: ["#5c6370", 241],
  accent: ["#0b57c0", 25],
  match: ["#a3136f", 126],
  success: ["#146c2e", 22],
  warning: ["#8a4b00", 94],
  danger: ["#b3202a", 124],
  string: ["#146c2e", 22],
  number: ["#8a4b00", 94],
  boolean: ["#7431a8", 91],
  json: ["#00646e", 23],
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

/** What roles have besides their colour. */
const LOOKS: Readonly<Record<string, TextStyle>> = {
  accent: { bold: true },
  match: { bold: true, underline: true },
};

/**
 * How each role looks. `auto` is legible on black and on white, `dark` and `light` on theirs, and `plain` has no
 * colour: for NO_COLOR.
 */
export function createTheme(name: ThemeName): Theme {
  if (name === "plain") return PLAIN;
  const palette = { auto: AUTO, dark: DARK, light: LIGHT }[name];
  const styles = Object.fromEntries(
    Object.entries(palette).map(([role, [color, ansi256]]) => [role, { color, ansi256, ...LOOKS[role] }]),
  ) as Record<keyof Palette, TextStyle>;
  return { text: {}, ...styles };
}
