import { DEFAULT_TOLERANCE } from "../../signing/verify.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";

export interface ClockFacts {
  /** How far this machine's clock is ahead of the server's, in milliseconds; undefined when that is not known. */
  skew: number | undefined;
  /** Whether signatures are taken all the same, or none are sent. */
  harmless: boolean;
}

/** Whether the server takes signatures that are made at this machine's time (spec.md, part 2). */
export function checkClock({ skew, harmless }: ClockFacts): Finding {
  if (skew === undefined) return skipped("the server's time is not known");
  const seconds = Math.round(Math.abs(skew) / 1_000);
  const isAhead = skew > 0;
  const limit = isAhead ? DEFAULT_TOLERANCE.future : DEFAULT_TOLERANCE.past;
  if (seconds <= limit / 2) return ok(`this machine's clock is within ${Math.max(1, seconds)} s of the server's`);
  const direction = isAhead ? "ahead of" : "behind";
  const message = `this machine's clock is ${seconds} s ${direction} the server's; signatures may be ${limit} s ${isAhead ? "ahead" : "old"}`;
  const fix = "set the one that is wrong by a time server, here with: timedatectl set-ntp true";
  return seconds <= limit || harmless ? warning(message, fix) : problem("unauthorized", message, fix);
}
