const RISKY = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const ASCII = /^[\x20-\x7e]*$/;

/** Compiled on first use: compiling takes milliseconds, and few strings need it. */
let emojiOrRisky: RegExp | undefined;

const NAMED: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/**
 * Makes text from outside safe to show: it stays on one line, can't control the
 * terminal, reads in the order in which it is stored, and hides nothing.
 * Control characters, bidirectional controls, line separators, unpaired
 * surrogates, zero-width and other invisible characters become escapes: `\n`,
 * `\x1b`, `\u{202e}`.
 *
 * Invisible characters inside an emoji that Unicode recommends for interchange
 * (UTS #51, RGI) are kept. Joiners between letters, as in Persian, are escaped,
 * because two names could differ only in them.
 *
 * @param toEscape returns the escape of one character, which may be an unpaired
 *   surrogate
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

/** Returns the escape of any character: `\n`, `\xad` or `\u{200b}`. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return NAMED[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`);
}

/** Escapes each UTF-16 unit as `\uXXXX`, as in JSON. */
export function escapeUnits(text: string): string {
  return text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
