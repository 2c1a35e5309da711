import { InvalidArgumentError } from "commander";

/** A parser of whole numbers within these bounds. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(
      `It must be a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ""}.`,
    );
  };
}

/** `100`, or `100-500` for any time between, in milliseconds. */
export function parseLatency(text: string): { least: number; most: number } {
  const [, least, most = least] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  if (Number(least) <= Number(most)) return { least: Number(least), most: Number(most) };
  throw new InvalidArgumentError("It must be milliseconds such as 100, or a range such as 100-500.");
}

/** `0.25`: a share, from 0 to 1. */
export function parseShare(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (share <= 1) return share;
  throw new InvalidArgumentError("It must be a share from 0 to 1, such as 0.25.");
}

/** `400` or `-400`: whole seconds, up to some three years. */
export function parseSkew(text: string): number {
  if (/^[+-]?\d{1,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be whole seconds such as 400, or -400 for a clock that is behind.");
}
