import { printable } from "../../src/kit/text/printable.js";

/**
 * Text that clears the screen, sets a title, forges lines and fields, reverses text and hides some.
 */
export const HOSTILE =
  "\u001b[2J\u001b]0;x\u0007\u0000\r\nFORGED\tx\u007f\u009b31m\u202e\u2066\u061c\u200b\u00ad\u2028\ufeff\u3164\u{e0041}\ud800";

/** The part of it that a file may be called and an environment variable may hold. */
export const HOSTILE_FILE = HOSTILE.replace(/[\0\ud800]/gu, "");

/** The part of it that the rule for names of environments and applications lets through. */
export const HOSTILE_LABEL = `label${HOSTILE.replace(/\p{Cc}/gu, "")}`;

/**
 * Characters that no terminal may get, but for line breaks and tabs: controls, bidirectional ones,
 * invisible ones.
 */
const RISKY =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;

/**
 * The control sequences of our own output: colors, and the start of a line on which progress is
 * shown.
 */
const OURS = /\u001b\[(?:[12]|22|3[123]|39)m|\r\u001b\[K/g;

/**
 * The parts of an output that could control a terminal or forge a line or field; empty if there are
 * none.
 */
export function dangers(output: string): string[] {
  const text = output.replace(OURS, "");
  const found = text.match(RISKY) ?? [];
  const forged = text.match(/[\n\t]FORGED|FORGED[\n\t]/g) ?? [];
  return [...found, ...forged].map((danger) => printable(danger));
}
