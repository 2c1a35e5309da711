export interface TextStyle {
  /** `#rrggbb`. Default: the terminal's own color. */
  readonly color?: string;
  /** The closest legible color of 256: an xterm color number, 16 or higher. */
  readonly ansi256?: number;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly underline?: boolean;
}

/**
 * The meaning of a string, which determines its color. No meaning depends on
 * color alone.
 */
export type Role = "text" | keyof typeof COLORS;

export type Theme = Readonly<Record<Role, TextStyle>>;

export const THEME_NAMES = ["auto", "dark", "light", "plain"] as const;
export type ThemeName = (typeof THEME_NAMES)[number];

const SUCCESS = { auto: ["#22873b", 28], dark: ["#6bd086", 114], light: ["#146c2e", 22] } as const;
const WARNING = { auto: ["#af640e", 130], dark: ["#f0b45c", 215], light: ["#8a4b00", 94] } as const;

/**
 * `color` and `ansi256`. `auto` contrasts equally with black and white. A test
 * measures all contrasts.
 */
const COLORS = {
  muted: { auto: ["#767676", 243], dark: ["#9a9fa8", 247], light: ["#5c6370", 241] },
  accent: { auto: ["#1f75d8", 63], dark: ["#6cb6ff", 75], light: ["#0b57c0", 25] },
  match: { auto: ["#cd359a", 163], dark: ["#ff8fd0", 212], light: ["#a3136f", 126] },
  success: SUCCESS,
  warning: WARNING,
  danger: { auto: ["#d63d43", 161], dark: ["#ff8a86", 210], light: ["#b3202a", 124] },
  string: SUCCESS,
  number: WARNING,
  boolean: { auto: ["#9b55ce", 133], dark: ["#cfa3ff", 183], light: ["#7431a8", 91] },
  json: { auto: ["#10828c", 30], dark: ["#5fd0dc", 80], light: ["#00646e", 23] },
} as const;

const STYLES: Readonly<Record<string, TextStyle>> = {
  accent: { bold: true },
  match: { bold: true, underline: true },
};

const PLAIN_STYLES: Readonly<Record<string, TextStyle>> = {
  ...STYLES,
  muted: { dimColor: true },
  success: { bold: true },
  warning: { bold: true },
  danger: { bold: true },
};

/**
 * `auto` is legible on black and on white, `dark` and `light` on their own
 * backgrounds, and `plain`, for NO_COLOR, has no colors.
 */
export function createTheme(name: ThemeName): Theme {
  const styles = Object.entries(COLORS).map(([role, colors]) => {
    if (name === "plain") return [role, PLAIN_STYLES[role] ?? {}];
    const [color, ansi256] = colors[name];
    return [role, { color, ansi256, ...STYLES[role] }];
  });
  return { text: {}, ...(Object.fromEntries(styles) as Omit<Theme, "text">) };
}

/** Queries the background color (OSC 11). Many terminals don't reply. */
export const BACKGROUND_QUESTION = "\x1b]11;?\x07";

/**
 * Parses a reply such as `11;rgb:ffff/ffff/ffff`, with one to four digits per
 * component.
 */
export function shadeOf(answer = ""): "dark" | "light" | undefined {
  const [, ...parts] =
    /^11;rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})$/i.exec(answer) ?? [];
  if (parts.length === 0) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map(
    (digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1),
  );
  return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 ? "dark" : "light";
}
