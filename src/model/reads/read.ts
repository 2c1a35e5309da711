import type { JsonValue } from "../../kit/text/strict-json.js";
import {
  checkId,
  type ValueContent,
  type ValueRules,
  type Variable,
  type VariableValue,
} from "../variable.js";
import type { Health } from "./health.js";
import { type Page, type PageRequest, pageBounds } from "./page.js";

/** One of the eight reads of an environment, with its arguments. */
export type Read =
  | { readonly kind: "variables" | "values"; readonly page: Required<PageRequest> }
  | { readonly kind: "variable" | "value"; readonly id: number }
  | { readonly kind: "valueByName" | "content"; readonly name: string }
  | { readonly kind: "valuesByName"; readonly names?: readonly string[] | undefined }
  | { readonly kind: "check" };

/** The problems of an environment's values, by ascending id of the variables. */
export interface Check {
  /** The names of variables that have no value and are not optional. */
  readonly missing: string[];
  /**
   * Values that break a rule of their schema. The rule has no subject, and
   * quotes no value.
   */
  readonly invalid: InvalidValue[];
}

export interface InvalidValue {
  readonly name: string;
  readonly rule: string;
}

/** Values by the names of their variables. Even `__proto__` is an own property. */
export type ValuesByName = Readonly<Record<string, JsonValue>>;

export function pickValues(
  values: ValuesByName,
  names: readonly string[] | undefined,
): ValuesByName {
  if (!names) return values;
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(values).filter(([name]) => wanted.has(name)));
}

interface Answers {
  variables: Page<Variable>;
  variable: Variable;
  values: Page<VariableValue>;
  value: VariableValue;
  valueByName: VariableValue;
  content: ValueContent;
  valuesByName: { readonly data: ValuesByName };
  check: Check;
}

/** The answer to a read: `Answer<{ kind: "value" }>` is a VariableValue. */
export type Answer<R extends Pick<Read, "kind">> = Answers[R["kind"]];

/**
 * Reads the variables of one environment. Each method rejects with
 * NotFoundError for an unknown id or name, and with UsageError for an invalid
 * id or page request.
 */
export abstract class VariableReader {
  /** Answers any read; the other methods are short forms. */
  abstract answer<R extends Read>(read: R): Promise<Answer<R>>;

  /** Returns the definitions of the application's variables, by ascending id. */
  async listVariables(page?: PageRequest): Promise<Page<Variable>> {
    return this.answer({ kind: "variables", page: pageBounds(page) });
  }

  async getVariable(id: number): Promise<Variable> {
    return this.answer({ kind: "variable", id: checkId(id) });
  }

  /**
   * Returns the values that are set in this environment, by ascending id of the
   * value record.
   */
  async listValues(page?: PageRequest): Promise<Page<VariableValue>> {
    return this.answer({ kind: "values", page: pageBounds(page) });
  }

  async getValue(id: number): Promise<VariableValue> {
    return this.answer({ kind: "value", id: checkId(id) });
  }

  async getValueByName(name: string): Promise<VariableValue> {
    return this.answer({ kind: "valueByName", name });
  }

  async getContentByName(name: string): Promise<ValueContent> {
    return this.answer({ kind: "content", name });
  }

  /**
   * Returns the values of one version of the data, by ascending id of the
   * variable.
   *
   * @param names all names by default; variables without a value are left out
   */
  async values(names?: readonly string[]): Promise<ValuesByName> {
    return (await this.answer({ kind: "valuesByName", names })).data;
  }

  /** @throws NotFoundError if the server is too old to check values */
  async checkValues(): Promise<Check> {
    return this.answer({ kind: "check" });
  }

  /**
   * Returns `undefined` if there are no rules, and from a server, which does
   * not send them.
   */
  rulesOf(_idOrName: number | string): ValueRules | undefined {
    return undefined;
  }
}

/** Reads one version of the data. */
export interface Snapshot extends VariableReader {
  /**
   * Identifies the version; `undefined` before the first answer, and from some
   * servers.
   */
  readonly revision: string | undefined;
}

/**
 * The variables of one environment, from a store or a server. The methods of
 * VariableReader read the current data; several consistent calls need
 * `readSnapshot`.
 */
export interface VariableSource extends VariableReader {
  /**
   * Resolves to the result of `read`, whose answers are all of one version of
   * the data. If the data changes in the meantime, `read` is called again with
   * another snapshot.
   *
   * @param read must only read, and wait for all its requests: requests that
   *   are still running when the data changes reject
   * @throws ServerError when the data changed during every attempt; the errors
   *   of `read`
   */
  readSnapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * @throws ServerError with the reason as its message when the server is not
   *   healthy
   */
  getHealth(): Promise<Health>;
  close(): Promise<void>;
}
