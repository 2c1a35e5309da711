/** RFC 8259, section 6. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The number that `text` writes as JSON does; undefined where it is none, is out of range, or is a whole number that
 * a JavaScript number can't hold exactly (9007199254740993 would become …992).
 */
export function exactNumber(text: string): number | undefined {
  if (!JSON_NUMBER.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  return /^-?\d+$/.test(text) && BigInt(text) !== BigInt(number) ? undefined : number;
}
