import type { Role } from "../theme.js";

/** A piece of a line that looks the same throughout. */
export interface Span {
  readonly text: string;
  /** `text` where it is not said. */
  readonly role?: Role;
  readonly isBold?: boolean;
  readonly isInverse?: boolean;
}

/** One line of the screen, from the left. */
export type Line = readonly Span[];

/** A line that has one look. */
export function line(text: string, role: Role = "text"): Line {
  return [{ text, role }];
}
