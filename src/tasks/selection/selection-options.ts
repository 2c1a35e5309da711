import type { CheckValues } from "../sources/check-source.js";

export const NAME_STYLES = ["upper", "lower", "tf-var"] as const;

export interface SelectionOptions {
  /** Names and globs; `undefined` for all variables. */
  only?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  nameTransformer?: (typeof NAME_STYLES)[number] | undefined;
  /** The check of `--strict`. */
  findProblems?: CheckValues | undefined;
}
