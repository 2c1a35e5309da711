import type { State } from "./state.js";
import type { Step } from "./step.js";

/** Something that a person can ask for: with a key, or as `:name`. Footer, help and `:` all show this. */
export interface Command {
  /** The word after `:`. */
  readonly name: string;
  /** Names of the keys, the one that is shown first. */
  readonly keys: readonly string[];
  /** One or two words for the footer; undefined where it needs no telling there. */
  readonly label: string | undefined;
  /** One line for the help. */
  readonly help: string;
  readonly group: "Move" | "Find" | "Values" | "Edit" | "Other";
  /** What may follow the word after `:`, as `<name>`. */
  readonly argument?: string;
  /** Why it can't be done now, in words for people; undefined when it can. */
  readonly whyNot?: (state: State) => string | undefined;
  /** @param argument what followed the word after `:`, trimmed; `""` with a key */
  readonly run: (state: State, argument: string) => Step;
}
