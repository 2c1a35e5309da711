/** What a text is, which decides its color. No meaning is carried by color alone. */
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

export interface TextStyle {
  /** `#rrggbb`; the terminal's own color by default. */
  readonly color?: string;
  /** The closest color that is legible on a terminal with 256 colors: an xterm number from 16 on. */
  readonly ansi256?: number;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly underline?: boolean;
}

export type Theme = Readonly<Record<Role, TextStyle>>;

export type ThemeName = "auto" | "dark" | "light" | "plain";

type RoleColors = readonly [
  auto: string,
  auto256: number,
  dark: string,
  dark256: number,
  light: string,
  light256: number,
];

/** The colors of each theme. Those of `auto` are as far from black as from white. A test measures all contrasts. */
const COLORS: Readonly<Record<Exclude<Role, "text">, RoleColors>> = {
  muted: ["#767676", 243, "#9a9fa8", 247, "#5c6370", 241],
  accent: ["#1f75d8", 63, "#6cb6ff", 75, "#0b57c0", 25],
  match: ["#cd359a", 163, "#ff8fd0", 212, "#a3136f", 126],
  success: ["#22873b", 28, "#6bd086", 114, "#146c2e", 22],
  warning: ["#af640e", 130, "#f0b45c", 215, "#8a4b00", 94],
  danger: ["#d63d43", 161, "#ff8a86", 210, "#b3202a", 124],
  string: ["#22873b", 28, "#6bd086", 114, "#146c2e", 22],
  number: ["#af640e", 130, "#f0b45c", 215, "#8a4b00", 94],
  boolean: ["#9b55ce", 133, "#cfa3ff", 183, "#7431a8", 91],
  json: ["#10828c", 30, "#5fd0dc", 80, "#00646e", 23],
};

const FIRST_COLUMN = { auto: 0, dark: 2, light: 4 } as const;

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

/** What roles have besides their color. */
const STYLES: Readonly<Record<string, TextStyle>> = {
  accent: { bold: true },
  match: { bold: true, underline: true },
};

/**
 * The style of each role. `auto` is legible on black and on white, `dark` and `light` on their backgrounds, and `plain`
 * has no colors, for NO_COLOR.
 */
export function createTheme(name: ThemeName): Theme {
  if (name === "plain") return PLAIN;
  const column = FIRST_COLUMN[name];
  const styles = Object.entries(COLORS).map(([role, colors]) => {
    return [role, { color: colors[column], ansi256: colors[column + 1], ...STYLES[role] }];
  });
  return { text: {}, ...(Object.fromEntries(styles) as Omit<Theme, "text">) };
}
