import type { VariableSource } from "../domain/source.js";
import type { JsonValue, Variable, VariableType, VariableValue } from "../domain/variable.js";

/** A variable, and its value record where it has one in this environment. */
export interface Entry {
  readonly variable: Variable;
  readonly value: VariableValue | undefined;
}

/** One line of the left panel: something with variables that can be opened. */
export interface Place {
  /** `staging`, `shop/development`. */
  readonly name: string;
  readonly kind: "profile" | "environment" | "server";
  /** Where its variables come from: the origin of a server or the path of a data file. */
  readonly detail: string;
  /**
   * @param onRateLimit told what the server says of its rate limit with each answer
   * @throws what opening a source throws: UsageError, UnauthorizedError, NotFoundError, InvalidDataError
   */
  open(onRateLimit: (rateLimit: RateLimit) => void): Promise<OpenPlace>;
}

export interface OpenPlace {
  readonly source: VariableSource;
  /** The same as long as nothing has changed; undefined where only reading again can tell. */
  readonly version?: (() => unknown) | undefined;
  /** What changes it; undefined where it can only be read. */
  readonly editor: Editor | undefined;
  /**
   * A value as it was before a client encrypted it; any other as it is.
   *
   * @throws DecryptionError when there is no key or not the right one
   */
  decrypt(name: string, value: JsonValue): JsonValue;
  /** A command for a shell that prints this variable's value. No secret is in it. */
  getCommand(name: string): string;
}

/** What a server said of its rate limit: requests that are left of how many, and the seconds until it starts anew. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

/** What a variable holds in the environment, as an edit sees it. */
export interface Assigned {
  readonly type: VariableType;
  readonly description: string;
  readonly value: JsonValue;
}

/** What one edit makes of a variable; undefined where it has no value there. Turned around it is its own undo. */
export interface Edit {
  readonly name: string;
  readonly before: Assigned | undefined;
  readonly after: Assigned | undefined;
}

/** What was typed into a form, as text. */
export interface Draft {
  readonly name: string;
  readonly before: Assigned | undefined;
  readonly type: VariableType;
  readonly value: string;
  readonly description: string;
}

export interface Editor {
  /**
   * The edit that a form asks for. A value that was encrypted is encrypted again.
   *
   * @throws UsageError that says what is wrong with it, and never quotes the value; NotFoundError when the environment
   *   is gone
   */
  prepare(draft: Draft): Edit;
  /**
   * Makes the edit in one atomic write.
   *
   * @throws UsageError when what is there is not `before` any more; NotFoundError when the environment is gone;
   *   InvalidDataError when it can't be written. Nothing is changed then.
   */
  apply(edit: Edit): Promise<void>;
}

/** How far a copy got. */
export type CopyOutcome =
  /** It is in the system's clipboard. */
  | { readonly kind: "clipboard" }
  /** The terminal was asked to take it (OSC 52), and does not tell whether it did; `reason` is why nothing else could. */
  | { readonly kind: "terminal"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

export type Copy = (text: string) => Promise<CopyOutcome>;
