import type { Failure, Loaded } from "./state.js";

/** Failures that the same request would only meet again, until a person has mended something. */
const LASTING = ["unauthorized", "usage", "not_found"];

/** Whether trying again is left to a person. */
export function isLasting({ code }: Failure): boolean {
  return LASTING.includes(code);
}

/** Whether the place is being read just now. */
export function isReading({ nextAt, failure }: Pick<Loaded, "nextAt" | "failure">): boolean {
  return nextAt === undefined && !(failure && isLasting(failure));
}
