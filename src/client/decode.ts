import { parseUtcMs } from "../kit/text/duration.js";
import {
  NotFoundError,
  ServerError,
  type UnauthorizedError,
  UsageError,
} from "../kit/text/errors.js";
import {
  applyRule,
  type Fields,
  POSITIVE,
  pathText,
  type Rule,
  rule,
  TEXT,
} from "../kit/text/rules.js";
import { JsonError, parseJson } from "../kit/text/strict-json.js";
import { RateLimitedError, RefusedCredentialsError, WrongClockError } from "../model/errors.js";
import type { Health } from "../model/reads/health.js";
import { parseDataAge, parseRetryAfter } from "../model/reads/http-headers.js";
import type { Page, PageRequest } from "../model/reads/page.js";
import type { Answer, Check, InvalidValue, Read } from "../model/reads/read.js";
import {
  isVariableName,
  VARIABLE_TYPES,
  type ValueContent,
  type Variable,
  type VariableValue,
  valueFitsType,
} from "../model/variable.js";
import { describeSkew } from "../signing/sign.js";
import { TRANSIENT_STATUSES } from "./retry.js";
import type { HttpResponse } from "./transport.js";

/** The length of the longest list, twice the design size of a data file. */
const MAX_TOTAL = 2_000_000;

/**
 * The most list items and object members in one answer: 2,000 for each item of
 * the largest page.
 */
const MAX_ITEMS = 2_000_000;

/**
 * Thrown for a field that breaks a rule of the API. The message quotes no
 * value.
 */
class BrokenRuleError extends TypeError {}

type FieldsOf<T> = Record<keyof T, Rule>;

const open = (fields: Fields) => rule({ fields, allowsUnknown: true });

const name = rule({ text: { test: isVariableName }, must: "be the name of a variable" });
const value = rule({
  problem: (input) =>
    valueFitsType(input, "JSON") ? undefined : "must be JSON that is not nested too deeply",
});

const variable: FieldsOf<Variable> = {
  id: POSITIVE,
  type: rule({ oneOf: VARIABLE_TYPES }),
  name,
  description: TEXT,
};
const content: FieldsOf<ValueContent> = { value };
const valueRecord: FieldsOf<VariableValue> = {
  id: POSITIVE,
  variable_id: POSITIVE,
  content: open(content),
};
const values = rule({
  members: value,
  problem: (input: object) =>
    Object.keys(input).every(isVariableName)
      ? undefined
      : "must be an object with names of variables",
});
const brokenRule: FieldsOf<InvalidValue> = { name, rule: TEXT };
const check: FieldsOf<Check> = {
  missing: rule({ items: name }),
  invalid: rule({ items: open(brokenRule) }),
};

export function ruleOf(read: Read): Rule {
  switch (read.kind) {
    case "variables":
      return pageOf(variable, read.page);
    case "variable":
      return withId(variable, read.id);
    case "values":
      return pageOf(valueRecord, read.page);
    case "value":
      return withId(valueRecord, read.id);
    case "valueByName":
      return open(valueRecord);
    case "content":
      return open(content);
    case "valuesByName":
      return open({ data: values });
    case "check":
      return open(check);
  }
}

function withId(fields: FieldsOf<Item>, id: number): Rule {
  return open({ ...fields, id: rule({ oneOf: [id], must: "be the requested one" }) });
}

interface Item {
  readonly id: number;
}

/**
 * Returns the rule for a page: complete and sorted by id, so that every list
 * ends.
 */
function pageOf(fields: FieldsOf<Item>, { limit, offset }: Required<PageRequest>): Rule {
  const metadata = {
    // A server may limit pages to a smaller size.
    limit: rule({ integerRange: [1, limit] }),
    offset: rule({ oneOf: [offset], must: `be ${offset}, as requested` }),
    total: rule({ integerRange: [0, MAX_TOTAL] }),
  };
  const itemsProblem = (items: readonly Item[]) =>
    items.every(({ id }, index) => id > (items[index - 1]?.id ?? 0))
      ? undefined
      : "must have ids in ascending order";
  const data = rule({ items: open(fields), problem: itemsProblem });
  return { ...open({ metadata: open(metadata), data }), problem: lengthProblem };
}

function lengthProblem({ metadata: { limit, offset, total }, data }: Page<Item>) {
  const length = Math.min(limit, Math.max(0, total - offset));
  return data.length === length ? undefined : "must have as much data as metadata says";
}

const isSeconds = (input: unknown) => Number.isFinite(input) && Number(input) >= 0;
const isTime = (input: string) => input.includes(".") && Number.isFinite(parseUtcMs(input));
const healthFields: FieldsOf<Omit<Health, "data_age">> = {
  uptime: rule({ problem: (input) => (isSeconds(input) ? undefined : "must be seconds") }),
  message: TEXT,
  date: rule({ text: { test: isTime }, must: "be a time such as 2026-01-31T12:00:00.000Z" }),
};

export const HEALTH_RULE = open(healthFields);

export const ERROR_RULE = open({ message: TEXT });

/**
 * Checks an answer of the API (docs/http-api.md). Servers are not trusted,
 * since names become environment variables: one invalid field rejects the
 * answer. Unknown fields are dropped, so that newer servers can add some.
 *
 * @throws BrokenRuleError
 */
export function decode<T>(json: unknown, rule: Rule): T {
  return applyRule<T>(
    rule,
    json,
    ({ path, rule: broken }) => new BrokenRuleError(`${pathText(path) || "it"} ${broken}`),
  );
}

/**
 * @param signedAt the time in the signature of the request, in Unix
 *   milliseconds
 * @throws the error for the status; ServerError for anything that is not an
 *   answer of the API
 */
export function interpret<R extends Read>(
  response: HttpResponse,
  read: R,
  signedAt?: number,
): Answer<R> {
  if (response.status !== 200) throw errorOf(response, signedAt);
  return decodeBody(response, ruleOf(read));
}

function errorOf(response: HttpResponse, signedAt?: number): Error {
  const { status, headers, forwarder } = response;
  if (status === 429) {
    const wait = parseRetryAfter(headers) ?? 0;
    return new RateLimitedError(
      `rate-limited by the server; it accepts requests again in ${wait} s`,
      wait,
    );
  }
  if (status >= 500 || TRANSIENT_STATUSES.includes(status)) {
    const failed = forwarder === undefined ? "the server" : `the request through ${forwarder}`;
    return new ServerError(`${failed} failed with status ${status}`, status);
  }
  if (headers.location !== undefined && status >= 300 && status < 400)
    return new ServerError(
      `the server redirects to ${redirectTarget(headers.location)}, which is not followed`,
      status,
    );
  // Decoded first: a 401 or 404 from a foreign server has no meaning for
  // credentials or variables.
  const { message } = decodeBody<{ message: string }>(response, ERROR_RULE);
  if (status === 400) return new UsageError(message);
  if (status === 401) return unauthorizedError(headers.date, signedAt);
  if (status === 404) return new NotFoundError(message);
  return new ServerError(`the server answered with status ${status}: ${message}`, status);
}

/** @throws ServerError, RateLimitedError */
export function interpretHealth(response: HttpResponse): { healthy: boolean; health: Health } {
  const { status, headers } = response;
  // 503 has the same body as 200. appvars sends the other statuses only for
  // other routes.
  if (![200, 400, 401, 404, 503].includes(status)) throw errorOf(response);
  const health = decodeBody<Health>(response, HEALTH_RULE);
  const age = parseDataAge(headers);
  return {
    healthy: status === 200,
    health: age === undefined ? health : { ...health, data_age: age },
  };
}

/**
 * Returns the error for a 401. Without a date or a signature, the credentials
 * are wrong.
 */
function unauthorizedError(date = "", signedAt = Number.NaN): UnauthorizedError {
  // The date is rounded down to seconds.
  const { seconds, limit, message } = describeSkew(signedAt - Date.parse(date) - 500);
  if (seconds >= limit) return new WrongClockError(`the server refused the signature: ${message}`);
  return new RefusedCredentialsError();
}

/**
 * Returns the target of a redirect without query, fragment and user, which may
 * contain a token.
 */
export function redirectTarget(location = ""): string {
  return location.replace(/[?#].*/s, "").replace(/(?<![^/\\])[^/\\]+@/g, "") || "nowhere";
}

function decodeBody<T>({ status, body, forwarder }: HttpResponse, rule: Rule): T {
  const route = forwarder === undefined ? "" : ` through ${forwarder}`;
  const foreign = `not an appvars server${route} (status ${status})`;
  try {
    return decode(parseJson(body, MAX_ITEMS), rule);
  } catch (error) {
    const isInexact = error instanceof JsonError && error.kind === "inexact number";
    if (isInexact || error instanceof BrokenRuleError)
      throw new ServerError(`${foreign}: ${error.message}`, status);
    throw new ServerError(foreign, status);
  }
}
