const RISKY = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const ASCII = /^[\x20-\x7e]*$/;

/**
 * Characters that may form one emoji: a keycap such as 1️⃣; a pictograph, others joined to it, the
 * tags of a flag.
 */
const PICTOGRAPH = String.raw`\p{ExtPict}(?:\ufe0f|\p{EMod})?`;
const EMOJI = String.raw`[#*\d]\ufe0f\u20e3|${PICTOGRAPH}(?:\u200d${PICTOGRAPH})*[\u{e0020}-\u{e007f}]*`;

/** Compiled on first use: that takes some milliseconds, and few texts contain such emoji. */
let recommendedEmoji: RegExp | undefined;

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
  // Compiled here, because most commands never get here.
  const risky = new RegExp(RISKY, "gu");
  if (text.search(risky) < 0) return text;
  const emojiOrRisky = new RegExp(`${EMOJI}|${RISKY}`, "gu");
  return text.replace(emojiOrRisky, (part) =>
    isEmoji(part) ? part : part.replace(risky, toEscape),
  );
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

function isEmoji(part: string): boolean {
  if (part.length === 1) return false;
  // biome-ignore lint/complexity/useRegexLiterals: the compiler's target has no literal with this flag
  recommendedEmoji ??= new RegExp("\\p{RGI_Emoji}", "v");
  // Finds the longest match.
  return recommendedEmoji.exec(part)?.[0] === part;
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
