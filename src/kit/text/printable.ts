const RISKY = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const ASCII = /^[\x20-\x7e]*$/;

/** Compiled on first use: that takes some milliseconds, and few texts need it. */
let emojiOrRisky: RegExp | undefined;

const NAMED: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/**
 * The one rule for showing text from outside: it stays on its line, can't control a terminal, reads
 * in the order it is stored in, and hides nothing. Control characters, bidirectional controls, line
 * separators, unpaired surrogates, zero-width and other invisible characters become escapes: `\n`,
 * `\x1b`, `\u{202e}`.
 *
 * Invisible characters inside an emoji that Unicode recommends for interchange (UTS #51, RGI) are
 * kept. Joiners between letters, as in Persian, are escaped, because two names might differ in
 * nothing else.
 *
 * @param toEscape returns the escape for one such character, which may be an unpaired surrogate
 */
export function printable(
  text: string,
  toEscape: (character: string) => string = escapeCharacter,
): string {
  if (ASCII.test(text)) return text;
  if (!new RegExp(RISKY, "u").test(text)) return text;
  emojiOrRisky ??= new RegExp(`(\\p{RGI_Emoji})|${RISKY}`, "gv");
  return text.replace(emojiOrRisky, (part, emoji) => emoji ?? toEscape(part));
}

/** The escape for any character: `\n`, `\xad` or `\u{200b}`. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return NAMED[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`);
}

/** `\uXXXX` for each UTF-16 unit, as in JSON. */
export function unitEscapes(text: string): string {
  return text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A length of time for people, `45 s`, `12 min`, `30 h` or `9 d`, rounded down. */
export function durationText(milliseconds: number): string {
  const text = (unit: number, name: string) => `${Math.floor(milliseconds / unit)} ${name}`;
  if (milliseconds < 2 * MINUTE_MS) return text(1_000, "s");
  if (milliseconds < 2 * HOUR_MS) return text(MINUTE_MS, "min");
  return milliseconds < 2 * DAY_MS ? text(HOUR_MS, "h") : text(DAY_MS, "d");
}
