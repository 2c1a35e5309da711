import type { Context } from "../output/context.js";

/** A flag. In a table, a string is a flag with that help text. */
export interface Flag extends Argument {
  /** Whether it can be repeated: its values, which are lists, are joined. */
  repeatable?: true;
  /** The text of the value if the flag is not given. */
  default?: string;
  /** The value of the flag alone, if its value is optional. */
  preset?: string;
  required?: true;
  /** Values of other flags that are not given. */
  implies?: Readonly<Record<string, unknown>>;
  /** The names of flags that can't be given too. */
  conflicts?: readonly string[];
  /** The error for this flag, which was removed; help leaves it out. */
  refused?: string;
}

export interface Argument {
  help: string;
  choices?: readonly string[];
  /** @param clock Unix milliseconds */
  parse?: (text: string, clock: () => number) => unknown;
}

/**
 * Flags by their forms: `-e, --env <name>`, `--no-check`, `--encrypt [names]`,
 * `--cache[=age]`. A key that ends with a colon is a heading of the help for
 * the flags after it.
 */
export type FlagTable = Readonly<Record<string, string | Flag>>;

/** Arguments by their forms, in order: `<name>`, `[value]`, `<name...>`. */
type ArgumentTable = Readonly<Record<string, string | Argument>>;

/** A command, or several under one name. */
export interface Command {
  /**
   * One line, for the help of the command above. Default: the description up to
   * a comma.
   */
  summary?: string;
  /** A paragraph. Its line breaks, with the indentation, count as spaces. */
  description: string;
  /** Replaces `[options]` and the arguments in the help. */
  usage?: string;
  arguments?: ArgumentTable;
  flags?: FlagTable;
  /** A paragraph of the help after the flags. */
  details?: string;
  examples: readonly string[];
  commands?: Readonly<Record<string, Command>>;
  /**
   * Runs the command. A command without this prints its help.
   *
   * @param all loads the whole command line
   */
  run?(
    args: object,
    flags: object,
    context: Context,
    all: () => Promise<Command>,
  ): Promise<void> | void;
}

/** The description of a command as one line, and its summary. */
export function describeCommand({ description, summary }: Command) {
  const text = description.replace(/\s+/g, " ");
  const [phrase = ""] = text.split(/[.,:;]/, 1);
  const start = phrase.slice(0, 1).toLowerCase() + phrase.slice(1);
  return { description: text, summary: summary ?? start };
}

type Camel<S> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type Word<S> = S extends `${infer W}${" <" | " [" | "[="}${string}` ? W : S;

/** `apiKey` for `--api-key <key>`, and `newline` for `-n, --no-newline`. */
type FlagName<S> = S extends `${string}--${infer L}`
  ? Camel<Word<L extends `no-${infer N}` ? N : L>>
  : never;

type ArgumentName<S> = S extends `${"<" | "["}${infer N}...${">" | "]"}`
  ? N
  : S extends `${"<" | "["}${infer N}${">" | "]"}`
    ? N
    : never;

type TextOf<F> = F extends { parse: (...args: never[]) => infer V }
  ? V
  : F extends { choices: readonly (infer C)[] }
    ? C
    : F extends { repeatable: true }
      ? string[]
      : string;

type FlagValue<F, S extends keyof F> = S extends `${string}--no-${string}`
  ? false
  : S extends `${string}${"<" | "["}${string}`
    ? TextOf<F[S]>
    : boolean;

type ArgumentValue<S, A> = S extends `<${string}...>`
  ? [string, ...string[]]
  : S extends `[${string}`
    ? TextOf<A> | undefined
    : TextOf<A>;

export type FlagValues<F> = {
  -readonly [S in keyof F as F[S] extends { refused: string } ? never : FlagName<S>]?: FlagValue<
    F,
    S
  >;
} & {
  -readonly [S in keyof F as F[S] extends { default: unknown } | { required: true }
    ? FlagName<S>
    : never]: FlagValue<F, S>;
};

export type ArgumentValues<A> = { [S in keyof A as ArgumentName<S>]: ArgumentValue<S, A[S]> };

/** Types the values that `run` gets by the forms of the arguments and flags. */
export function defineCommand<
  const A extends ArgumentTable = Record<never, never>,
  const F extends FlagTable = Record<never, never>,
>(
  command: Omit<Command, "run" | "commands"> & {
    arguments?: A;
    flags?: F;
    run(
      args: ArgumentValues<A>,
      flags: FlagValues<F>,
      context: Context,
      all: () => Promise<Command>,
    ): Promise<void> | void;
  },
): Command {
  return command;
}

export interface FlagRow extends Flag {
  form: string;
  heading: string | undefined;
  /** `newline` for `-n, --no-newline`. */
  name: string;
  long: string;
  short: string | undefined;
  isNegative: boolean;
  /** The word in the brackets; `undefined` if the flag has no value. */
  placeholder: string | undefined;
}

const FLAG_FORM = /^(?:(-\w), )?(--(no-)?([\w-]+))(?: <(.+)>| ?\[=?(.+)\])?$/;

/** The rows of a table by the spellings of their flags, letters too. */
export function flagRows(flags: FlagTable = {}): Map<string, FlagRow> {
  const rows = new Map<string, FlagRow>();
  let heading: string | undefined;
  for (const [form, flag] of Object.entries(flags)) {
    const [, short, long = "", negative, words = "", needed, optional] = FLAG_FORM.exec(form) ?? [];
    if (long === "") heading = form;
    else {
      const [first = "", ...others] = words.split("-");
      let name = first;
      for (const word of others) name += word.slice(0, 1).toUpperCase() + word.slice(1);
      const described = typeof flag === "string" ? { help: flag } : flag;
      const isNegative = negative !== undefined;
      const placeholder = needed ?? optional;
      const row = { ...described, form, heading, name, long, short, isNegative, placeholder };
      rows.set(long, row);
      if (short !== undefined) rows.set(short, row);
    }
  }
  return rows;
}

export interface ArgumentRow extends Argument {
  form: string;
  name: string;
  isRequired: boolean;
  isVariadic: boolean;
}

export function argumentRows({ arguments: table = {} }: Command): ArgumentRow[] {
  const rows: ArgumentRow[] = [];
  for (const [form, argument] of Object.entries(table))
    rows.push({
      ...(typeof argument === "string" ? { help: argument } : argument),
      form,
      name: form.slice(1, -1).replace("...", ""),
      isRequired: form.startsWith("<"),
      isVariadic: form.includes("..."),
    });
  return rows;
}

/** The flags that all commands have, and that may stand before the command. */
export const OUTPUT_FLAGS = {
  "--json": "machine-readable output, errors too",
  "-q, --quiet": "write no notes to stderr",
  "--verbose": "log each request to stderr",
  "--no-color": "no colors (like NO_COLOR; FORCE_COLOR forces them)",
} as const;

export const VERSION_FLAG = { "-V, --version": "print the version (or -v)" } as const;

export const HELP_FLAG = { "-h, --help": "print help" } as const;

/** The words that may stand before the command. */
export const LEADING_WORDS = [
  "-v",
  ...Object.keys({ ...OUTPUT_FLAGS, ...VERSION_FLAG, ...HELP_FLAG })
    .join(", ")
    .split(", "),
];
