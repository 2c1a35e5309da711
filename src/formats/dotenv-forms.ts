/** What reads `.env` files besides the `dotenv` package, as messages name them. */
export type DotenvProgram = "Node" | "python-dotenv" | "bash" | "Docker Compose" | "direnv";

/** A way to write a value that the `dotenv` package may read back. */
export interface Form {
  written: string;
  /** Those that read another value. */
  differing: readonly DotenvProgram[];
}

/** Needs no quotes in any reader. At the start and after a colon, zsh replaces `=ls` by the path of the program. */
export const PLAIN = /^(?!=|.*:=)[A-Za-z0-9_./:@%+,=-]*$/;

/** Whether a reader would change a text. */
type Change = (text: string) => boolean;

const never: Change = () => false;
const always: Change = () => true;
const matching =
  (pattern: RegExp): Change =>
  (text) =>
    pattern.test(text);
const or =
  (...changes: Change[]): Change =>
  (text) =>
    changes.some((change) => change(text));

/** It expands `${NAME}` between all quotes. Others with a colon (`${a:b}`) are rare enough to be counted too. */
const pythonExpands: Change = (text) => {
  const start = text.indexOf("${");
  return start >= 0 && text.lastIndexOf("}") > start;
};

/** Readers trim different blanks. */
const BLANK_EDGE = /^[\s\x1c-\x1f\x85]|[\s\x1c-\x1f\x85]$/;

/**
 * What each reader changes of a text that is written in a form, as measured with the values in
 * test/formats/nasty-values.ts. A form that `dotenv` itself would change is not written at all, so what only such texts
 * contain is not here.
 */
const CHANGES = {
  single: {
    Node: never,
    "python-dotenv": or(matching(/\\\\|\\$/), pythonExpands),
    bash: never,
    // A backslash before the closing quote escapes it, unless it is escaped itself.
    "Docker Compose": matching(/(?<!\\)(?:\\\\)*\\$/),
    direnv: matching(/\n/),
  },
  /** With line breaks as they are, and carriage returns as `\r`. */
  double: {
    Node: matching(/\r/),
    "python-dotenv": or(matching(/\\[\\'abfv\r]|\\t|\\$/), pythonExpands),
    bash: matching(/[$`\r]|\\[\\\n]|\\$/),
    "Docker Compose": matching(/\$|\\[\\abcftv0\r]|\\$/),
    direnv: matching(/[\n\\]|\$[\w{*#$@!?-]/),
  },
  /** With line breaks as `\n`. */
  escaped: {
    Node: matching(/\r/),
    "python-dotenv": or(matching(/\\[\\'abfv\r\n]|\\t|\\$/), pythonExpands),
    bash: always,
    "Docker Compose": matching(/\$|\\[\\abcftv0\r\n]|\\$/),
    direnv: matching(/\\|\$[\w{*#$@!?-]/),
  },
  bare: {
    Node: matching(/^['"`]/),
    "python-dotenv": or(matching(/^['"]/), matching(BLANK_EDGE), pythonExpands),
    bash: always,
    "Docker Compose": or(matching(/^['"]|\$/), matching(BLANK_EDGE)),
    direnv: matching(/^['"]|\s|\$[\w{*#$@!?-]/),
  },
  backtick: { Node: never, "python-dotenv": always, bash: always, "Docker Compose": always, direnv: always },
  /** Quotes around a text with the same quotes, which dotenv strips from a line that it could not parse as quoted. */
  outermost: { Node: always, "python-dotenv": always, bash: always, "Docker Compose": always, direnv: always },
} satisfies Record<string, Record<DotenvProgram, Change>>;

/** The forms that may hold a text, the one that most readers read alike first. */
export function formsOf(text: string): Form[] {
  if (PLAIN.test(text)) return [{ written: text, differing: [] }];
  const forms = [...candidates(text)].map(([kind, written]) => ({ written, differing: readersThatChange(text, kind) }));
  // A stable sort: of two that as many read alike, the first stays first.
  return forms.sort((a, b) => rank(a) - rank(b));
}

function readersThatChange(text: string, kind: keyof typeof CHANGES): DotenvProgram[] {
  return Object.entries(CHANGES[kind]).flatMap(([reader, changes]) => (changes(text) ? [reader as DotenvProgram] : []));
}

/**
 * Node counts more than all others, because it reads the same files as the `dotenv` package. A shell counts twice: it
 * may run what it misreads.
 */
function rank({ differing }: Form): number {
  return differing.length + (differing.includes("bash") ? 1 : 0) + (differing.includes("Node") ? 10 : 0);
}

function* candidates(text: string): Generator<[kind: keyof typeof CHANGES, written: string]> {
  if (!text.includes("'")) yield ["single", quoted("'", text)];
  const isDouble = !text.includes('"');
  if (isDouble) yield ["double", quoted('"', text.replaceAll("\r", "\\r"))];
  const oneLine = !/[\r\n#]/.test(text);
  // Without the comment, a shell would read the next line as a part of this one.
  if (oneLine) yield ["bare", text.endsWith("\\") ? `${text} #` : text];
  if (isDouble && text.includes("\n")) {
    yield ["escaped", quoted('"', text.replaceAll("\r", "\\r").replaceAll("\n", "\\n"))];
  }
  // A shell would run what is between backticks.
  if (!text.includes("`")) yield ["backtick", quoted("`", text)];
  if (oneLine) yield* [`'${text}'`, `"${text}"`].map((each): ["outermost", string] => ["outermost", each]);
}

/**
 * dotenv treats a backslash before the closing quote as an escape if it finds another quote to close with. The comment
 * offers one that can't be the last, because text follows.
 */
function quoted(quote: string, text: string): string {
  return `${quote}${text}${quote}${text.endsWith("\\") ? ` #${quote}-` : ""}`;
}
