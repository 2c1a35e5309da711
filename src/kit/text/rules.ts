/** A rule for one input from outside. Made by {@link rule}. */
export interface Rule {
  readonly isOptional: boolean;
  /** Replaces a missing input. */
  readonly defaultValue: unknown;
  /** The message for a wrong kind, after "must". Most kinds have a default. */
  readonly must: string | undefined;
  /** The fields of an object, in the order that a copy has. */
  readonly fields: Fields | undefined;
  /**
   * Whether unknown fields are dropped, so that other versions can add some.
   * Otherwise, they are refused.
   */
  readonly allowsUnknown: boolean;
  readonly items: Rule | undefined;
  /** The rule for each member of an object with arbitrary names. */
  readonly members: Rule | undefined;
  readonly integerRange: readonly [min: number, max: number] | undefined;
  readonly oneOf: readonly unknown[] | undefined;
  /** Tests a string; `true` for any. */
  readonly text: true | { test(input: string): boolean } | undefined;
  /** Selects the rule for an input that is not missing. */
  readonly choose: ((input: unknown) => Rule) | undefined;
  /**
   * Checks an input that follows the rest of the rule. Returns a message
   * without a subject that does not quote it.
   */
  readonly problem: ((input: never) => string | undefined) | undefined;
}

export type Fields = Readonly<Record<string, Rule>>;

export const ANYTHING: Rule = {
  isOptional: false,
  defaultValue: undefined,
  must: undefined,
  fields: undefined,
  allowsUnknown: false,
  items: undefined,
  members: undefined,
  integerRange: undefined,
  oneOf: undefined,
  text: undefined,
  choose: undefined,
  problem: undefined,
};

/**
 * Makes a rule. All rules have the same fields in the same order, which makes
 * checks a quarter faster.
 */
export function rule(parts: Partial<Rule>): Rule {
  return { ...ANYTHING, ...parts };
}

export function optional(rule: Rule): Rule {
  return { ...rule, isOptional: true };
}

export const TEXT = rule({ text: true, must: "be a string" });
export const BOOLEAN = rule({ oneOf: [true, false], must: "be true or false" });
const MAX = Number.MAX_SAFE_INTEGER;
export const POSITIVE = rule({ integerRange: [1, MAX], must: "be a positive whole number" });
export const COUNT = rule({ integerRange: [0, MAX], must: "be 0 or a positive whole number" });

/** The first rule that an input breaks. */
export interface BrokenRule {
  /** The names and indices that lead to the input, the outermost first. */
  readonly path: (string | number)[];
  /**
   * A message without a subject, such as "must be a string". Never quotes the
   * input.
   */
  readonly rule: string;
}

/**
 * `incomplete`: follows the rule, but lacks a default, has a field to drop, or
 * has its fields in another order.
 */
type Result = "complete" | "incomplete" | BrokenRule;

export const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input);

/**
 * Checks an input from outside, and fills in defaults.
 *
 * @param toError makes the error to throw
 * @param checked a complete input that was checked before; parts that both
 *   inputs share are skipped
 * @returns the input itself if it is complete, otherwise a copy
 */
export function applyRule<T>(
  rule: Rule,
  input: unknown,
  toError: (broken: BrokenRule) => Error,
  checked?: T,
): T {
  const result = check(rule, input, checked);
  if (typeof result === "object") throw toError(result);
  return (result === "complete" ? input : copyOf(rule, input)) as T;
}

/** `data[3].name` */
export function pathText(path: BrokenRule["path"]): string {
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
}

/** An object by its fields, or a list by its indices. */
type Parts = Record<string | number, unknown>;

function check(rule: Rule, input: unknown, checked: unknown): Result {
  if (input === undefined) {
    if (rule.defaultValue !== undefined) return "incomplete";
    return rule.isOptional ? "complete" : violation("is missing");
  }
  if (input === checked) return "complete";
  if (rule.choose) return check(rule.choose(input), input, checked);
  if (!isOfKind(rule, input)) return violation(`must ${rule.must ?? standardMessage(rule)}`);
  const { fields, items, members, problem } = rule;
  const [parts, before] = [input as Parts, checked as Parts | undefined];
  let result: Result = "complete";
  if (fields) result = checkFields(rule, fields, parts, before);
  else if (items) result = checkAll(items, parts, before);
  else if (members) result = checkAll(members, parts, before, Object.keys(parts));
  const broken = typeof result === "object" ? undefined : problem?.(input as never);
  return broken === undefined ? result : violation(broken);
}

function isOfKind(
  { fields, members, items, text, oneOf, integerRange }: Rule,
  input: unknown,
): boolean {
  if (items) return Array.isArray(input);
  if (fields || members) return isObject(input);
  if (text) return typeof input === "string" && (text === true || text.test(input));
  if (oneOf) return oneOf.includes(input);
  if (!integerRange) return true;
  return (
    Number.isSafeInteger(input) &&
    Number(input) >= integerRange[0] &&
    Number(input) <= integerRange[1]
  );
}

function standardMessage({ fields, members, items, integerRange, oneOf }: Rule): string {
  if (fields || members) return "be an object";
  if (items) return "be a list";
  if (integerRange) return `be a whole number from ${integerRange[0]} to ${integerRange[1]}`;
  return oneOf ? `be one of ${oneOf.join(", ")}` : "have another form";
}

function checkFields(
  { allowsUnknown }: Rule,
  fields: Fields,
  input: Parts,
  checked: Parts | undefined,
): Result {
  const names = Object.keys(input);
  let isComplete = true;
  let index = 0;
  for (const name in fields) {
    const value = input[name];
    const result = check(fields[name] as Rule, value, checked?.[name]);
    if (typeof result === "object") return within(name, result);
    if (result === "incomplete" || (value !== undefined && names[index++] !== name))
      isComplete = false;
  }
  if (isComplete && index === names.length) return "complete";
  const unknown = allowsUnknown ? undefined : names.find((name) => !Object.hasOwn(fields, name));
  return unknown === undefined ? "incomplete" : within(unknown, violation("is not a known field"));
}

/** @param names of the members. Default: the indices of a list */
function checkAll(
  rule: Rule,
  input: Parts,
  checked: Parts | undefined,
  names?: readonly string[],
): Result {
  let all: Result = "complete";
  const count = names?.length ?? Number(input["length"]);
  for (let index = 0; index < count; index++) {
    const step = names?.[index] ?? index;
    const result = check(rule, input[step], checked?.[step]);
    if (typeof result === "object") return within(step, result);
    if (result === "incomplete") all = result;
  }
  return all;
}

function violation(rule: string): BrokenRule {
  return { path: [], rule };
}

function within(step: string | number, { path, rule }: BrokenRule): BrokenRule {
  return { path: [step, ...path], rule };
}

/** Returns a copy with defaults, in the order of the rule. */
function copyOf(rule: Rule, input: unknown = rule.defaultValue): unknown {
  const { choose, fields, items, members } = rule;
  if (input === undefined) return undefined;
  if (choose) return copyOf(choose(input), input);
  if (items) return (input as unknown[]).map((item) => copyOf(items, item));
  if (members)
    return Object.fromEntries(
      Object.entries(input as object).map(([name, member]) => [name, copyOf(members, member)]),
    );
  if (!fields) return input;
  const copy: Parts = {};
  for (const name in fields) {
    const value = copyOf(fields[name] as Rule, (input as Parts)[name]);
    if (value !== undefined) copy[name] = value;
  }
  return copy;
}
