import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import type { RE2JS } from "re2js";
import { parseDurationMs } from "../../kit/text/duration.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import type { JsonSchema } from "../../model/variable.js";
import { MAX_SCHEMA, schemaProblem } from "./data-rules.js";

/**
 * The largest product of the sizes of a schema and a value, which takes about a
 * second.
 */
const MAX_PRODUCT = 50_000_000;

interface Compiled {
  readonly isValid: ValidateFunction;
  /** The characters of the schema, plus the steps of its patterns. */
  readonly size: number;
}

let loading: Promise<ValueChecker> | undefined;

/** Loads ajv and a linear-time engine for patterns. */
export function loadValueChecker(): Promise<ValueChecker> {
  loading ??= Promise.all([import("ajv/dist/2020.js"), import("re2js")]).then(
    ([ajv, re2js]) => new ValueChecker(ajv.Ajv2020, re2js.RE2JS),
  );
  return loading;
}

export class ValueChecker {
  readonly #patterns: typeof RE2JS;
  readonly #ajv: Ajv2020;
  /** Schemas by their text: most are the same in the next version of the data. */
  readonly #compiled = new Map<string, Compiled | Error>();
  /** The instructions of a schema's patterns: `.{1000}` has a thousand. */
  #steps = 0;

  constructor(Ajv: typeof Ajv2020, patterns: typeof RE2JS) {
    this.#patterns = patterns;
    const regExp = Object.assign((pattern: string) => this.#compilePattern(pattern), {
      code: "RE2JS",
    });
    // `schemaProblem` is stricter. With a precision, 0.3 is a multiple of 0.1.
    this.#ajv = new Ajv({
      strict: false,
      ownProperties: true,
      multipleOfPrecision: 9,
      logger: false,
      addUsedSchema: false,
      code: { regExp },
    });
    // ajv's own takes a format for strings or for numbers. A port can be
    // either.
    this.#ajv.removeKeyword("format").addKeyword({
      keyword: "format",
      type: ["string", "number"],
      schemaType: "string",
      // The schema of schemas has formats too.
      compile: (format: string, _schema, { opts }) =>
        opts.validateFormats === false ? () => true : formatCheck(format),
      error: { message: ({ schema }) => `must match format "${schema}"` },
    });
  }

  /** Returns why a schema is not valid; `undefined` if it is. */
  brokenSchema(schema: JsonSchema): string | undefined {
    const compiled = this.#compileOnce(schema);
    return compiled instanceof Error ? compiled.message : undefined;
  }

  /**
   * Returns the first broken rule, to follow a name, or `undefined`. Never
   * quotes the value.
   */
  brokenRule(schema: JsonSchema, value: JsonValue): string | undefined {
    const compiled = this.#compileOnce(schema);
    if (compiled instanceof Error)
      return `can't be checked: its schema is not valid (${compiled.message})`;
    const { isValid, size } = compiled;
    if (size * JSON.stringify(value).length > MAX_PRODUCT) return "is too large for its schema";
    const fits: unknown = tried(() => isValid(value));
    if (fits === true) return undefined;
    if (fits !== false) return "can't be checked by its schema";
    const [error] = isValid.errors ?? [];
    // Not the path of the value, which may contain a secret.
    return `${error?.message}${error?.instancePath ? ` (${error.schemaPath})` : ""}`;
  }

  #compileOnce(schema: JsonSchema): Compiled | Error {
    const text = JSON.stringify(schema);
    const compiled = this.#compiled.get(text) ?? tried(() => this.#compile(schema, text));
    this.#compiled.set(text, compiled);
    return compiled;
  }

  #compile(schema: JsonSchema, text: string): Compiled {
    const problem = schemaProblem(schema);
    if (problem) throw new Error(`it ${problem}`);
    this.#steps = 0;
    const isValid = this.#ajv.compile(schema);
    return { isValid, size: text.length + this.#steps };
  }

  #compilePattern(pattern: string) {
    const compiled = this.#patterns.compile(this.#patterns.translateRegExp(pattern));
    this.#steps += compiled.programSize();
    if (this.#steps > MAX_SCHEMA)
      throw new Error(`its patterns have more than ${MAX_SCHEMA} steps: repeat less`);
    return compiled;
  }
}

function formatCheck(format: string): (value: string | number) => boolean {
  const fits = FORMATS.get(format);
  const names = [...FORMATS.keys()].join(", ");
  if (!fits) throw new Error(`unknown format "${format}"; the formats are ${names}`);
  return (value) => fits(String(value));
}

/** The formats of a schema. Each has to be quick for any text. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["url", (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text)],
  [
    "email",
    (text: string) => text.length <= 254 && /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(text),
  ],
  ["port", (text: string) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535],
  ["duration", (text: string) => parseDurationMs(text) !== undefined],
]);

/** Returns the result or the error of `work`. Deep data can exhaust the stack. */
function tried<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}
