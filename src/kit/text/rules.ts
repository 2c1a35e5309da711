/**
 * How one input from outside has to be. A rule has at most one of the fields from `fields` to
 * `choose`; a rule with none of them allows anything.
 */
export interface Rule {
  readonly isOptional?: boolean;
  /** Replaces a missing input. */
  readonly otherwise?: unknown;
  /** The message for an input of another kind, to follow "must". Each kind has a default. */
  readonly must?: string;
  /** An object with these fields. Copies have them in this order. */
  readonly fields?: Fields;
  /** Whether unknown fields are dropped. By default, they are refused. */
  readonly isOpen?: boolean;
  /** An object with any names, and members that keep this rule. */
  readonly members?: Rule;
  /** A list of these. */
  readonly items?: Rule;
  /** A whole number between two numbers, or equal to one of them. */
  readonly whole?: readonly [least: number, most: number];
  readonly oneOf?: readonly unknown[];
  /** A string that passes this test. */
  readonly text?: { test(input: string): boolean };
  /** Selects the rule by the input, which is not `undefined`. */
  readonly choose?: (input: unknown) => Rule;
  /** Checks an input that keeps the rest of the rule. Returns a predicate that quotes no input. */
  readonly problem?: (input: never) => string | undefined;
}

export type Fields = Readonly<Record<string, Rule>>;

/** The first rule that an input breaks. */
export interface BrokenRule {
  /** The names and indices that lead to the input, the outermost first. */
  readonly path: (string | number)[];
  /** A predicate, such as "must be a string". Never quotes the input. */
  readonly rule: string;
}

/** `incomplete`: keeps the rule, but lacks a default, has a field to drop, or another order. */
type Result = "complete" | "incomplete" | BrokenRule;

export const ANYTHING: Rule = {};
export const TEXT: Rule = { text: { test: () => true } };
export const FLAG: Rule = { oneOf: [true, false], must: "be true or false" };
/** A whole number of at least 0, or at least 1. */
export const [COUNT, POSITIVE] = [0, 1].map((least): Rule => {
  const must = `be ${least === 0 ? "0 or " : ""}a positive whole number`;
  return { whole: [least, Number.MAX_SAFE_INTEGER], must };
}) as [Rule, Rule];

export function optional(rule: Rule): Rule {
  return { ...rule, isOptional: true };
}

/** A string that keeps one rule, or anything else that keeps another. */
export function textOr(text: Rule, other: Rule): Rule {
  return { choose: (input) => (typeof input === "string" ? text : other) };
}

/** An object with these fields. Others are dropped, so that later versions can add some. */
export function open(fields: Fields): Rule {
  return { fields, isOpen: true };
}

export const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input);

/**
 * Checks an input from outside, and fills in defaults. The check of a large input takes little
 * time if most of it is in `checked`.
 *
 * @param toError makes the error to throw
 * @param checked a complete input that was checked before: what both share is not checked again
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

/** `data[3].name must be a string` @param whole the name of the whole input */
export function brokenRuleText({ path, rule }: BrokenRule, whole = "it"): string {
  return `${pathText(path) || whole} ${rule}`;
}

/** `data[3].name` */
export function pathText(path: BrokenRule["path"]): string {
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
}

function check(rule: Rule, input: unknown, checked: unknown): Result {
  if (input === undefined) return checkMissing(rule);
  if (input === checked) return "complete";
  if (rule.choose) return check(rule.choose(input), input, checked);
  const result = checkKind(rule, input, checked);
  if (!rule.problem || typeof result === "object") return result;
  const problem = rule.problem(input as never);
  return problem === undefined ? result : broken(problem);
}

function checkMissing({ otherwise, isOptional }: Rule): Result {
  if (otherwise !== undefined) return "incomplete";
  return isOptional ? "complete" : broken("is missing");
}

function checkKind(rule: Rule, input: unknown, checked: unknown): Result {
  const { fields, items, members } = rule;
  if (fields) return checkFields(rule, fields, input, checked as Record<string, unknown>);
  if (items) return checkItems(rule, items, input, checked as readonly unknown[]);
  if (members) return checkMembers(rule, members, input, checked as Record<string, unknown>);
  return isOfKind(rule, input) ? "complete" : brokenKind(rule);
}

function isOfKind({ text, oneOf, whole }: Rule, input: unknown): boolean {
  if (text) return typeof input === "string" && text.test(input);
  if (oneOf) return oneOf.includes(input);
  if (!whole) return true;
  return Number.isSafeInteger(input) && Number(input) >= whole[0] && Number(input) <= whole[1];
}

function checkFields(
  rule: Rule,
  fields: Fields,
  input: unknown,
  checked: Record<string, unknown> | undefined,
): Result {
  if (!isObject(input)) return brokenKind(rule);
  const names = Object.keys(input);
  let [isComplete, index] = [true, 0];
  for (const name in fields) {
    const value = input[name];
    const result = check(fields[name] as Rule, value, checked?.[name]);
    if (typeof result === "object") return within(name, result);
    if (result === "incomplete" || (value !== undefined && names[index++] !== name))
      isComplete = false;
  }
  if (isComplete && index === names.length) return "complete";
  const unknown = rule.isOpen ? undefined : names.find((name) => !Object.hasOwn(fields, name));
  return unknown === undefined ? "incomplete" : within(unknown, broken("is not a known field"));
}

function checkItems(
  rule: Rule,
  item: Rule,
  input: unknown,
  checked: readonly unknown[] | undefined,
): Result {
  if (!Array.isArray(input)) return brokenKind(rule);
  let all: Result = "complete";
  for (let index = 0; index < input.length; index++) {
    const result = check(item, input[index], checked?.[index]);
    if (typeof result === "object") return within(index, result);
    if (result === "incomplete") all = result;
  }
  return all;
}

function checkMembers(
  rule: Rule,
  member: Rule,
  input: unknown,
  checked: Record<string, unknown> | undefined,
): Result {
  if (!isObject(input)) return brokenKind(rule);
  let all: Result = "complete";
  for (const name of Object.keys(input)) {
    const result = check(member, input[name], checked?.[name]);
    if (typeof result === "object") return within(name, result);
    if (result === "incomplete") all = result;
  }
  return all;
}

function broken(rule: string): BrokenRule {
  return { path: [], rule };
}

function within(step: string | number, { path, rule }: BrokenRule): BrokenRule {
  return { path: [step, ...path], rule };
}

function brokenKind({ must, fields, items, members, whole, oneOf }: Rule): BrokenRule {
  if (must !== undefined) return broken(`must ${must}`);
  if (fields || members) return broken("must be an object");
  if (items) return broken("must be a list");
  if (whole) return broken(`must be a whole number from ${whole[0]} to ${whole[1]}`);
  return broken(oneOf ? `must be one of ${oneOf.join(", ")}` : "must be a string");
}

/** A copy with defaults, in the order of the rule. @param input keeps the rule */
function copyOf(rule: Rule, input: unknown = rule.otherwise): unknown {
  const { choose, fields, items, members } = rule;
  if (input === undefined) return undefined;
  if (choose) return copyOf(choose(input), input);
  if (items) return (input as unknown[]).map((item) => copyOf(items, item));
  if (members)
    return Object.fromEntries(
      Object.entries(input as object).map(([name, member]) => [name, copyOf(members, member)]),
    );
  return fields ? copyOfFields(fields, input as Record<string, unknown>) : input;
}

function copyOfFields(fields: Fields, input: Record<string, unknown>): unknown {
  const copy: Record<string, unknown> = {};
  for (const name in fields) {
    const value = copyOf(fields[name] as Rule, input[name]);
    if (value !== undefined) copy[name] = value;
  }
  return copy;
}
