// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references that python-dotenv expands
import { quoteForShell } from "../kit/text/shell.js";
import { valueText } from "../model/variable.js";
import { lineWriter, notShellName, reservedByShell } from "./lines.js";
import {
  type DotenvTarget,
  type ExportCheck,
  ifText,
  loneSurrogate,
  nul,
  type Writer,
} from "./writer.js";

/**
 * Matches strings that need no quotes for any reader. At the start and after a
 * colon, zsh replaces `=ls` with the path of the program.
 */
const UNQUOTED = /^(?!=|.*:=)[A-Za-z0-9_./:@%+,=-]*$/;

/**
 * Returns the form that the `dotenv` package, Node.js, python-dotenv, POSIX
 * shells and Docker Compose read alike. Between single quotes, python-dotenv
 * expands `${NAME}` and decodes `\\`, it and Compose decode a backslash at the
 * end, and dotenv drops carriage returns.
 */
export function portableForm(text: string): string | undefined {
  if (UNQUOTED.test(text)) return text;
  if (!/['\r]|\\\\|\\$|\$\{/.test(text)) return `'${text}'`;
  return /["$`\\\r]/.test(text) ? undefined : `"${text}"`;
}

type Quote = (text: string) => string | undefined;

/**
 * Writes `.env` lines for one reader. Other readers, and `appvars import`
 * without `--for`, may read different values.
 */
function writerFor(reader: string, quote: Quote, ...checks: readonly ExportCheck[]): Writer {
  return lineWriter(
    `dotenv for ${reader}`,
    [nul, loneSurrogate, ...checks],
    ({ name, value }) => `${name}=${quote(valueText(value))}\n`,
  );
}

function unlessPlain(quote: Quote): Quote {
  return (text) => (UNQUOTED.test(text) ? text : quote(text));
}

const carriageReturn = ifText(/\r/, "its value contains a carriage return, which Node drops");

const unquotable = ifText(
  { test: (text) => quoteForNode(text) === undefined },
  "Node has no quoting that preserves its value",
);

/**
 * The only escape of `--env-file` and `util.parseEnv` is `\n` between double
 * quotes. They end a value at the next quote of the same kind.
 */
function quoteForNode(text: string): string | undefined {
  const quote = ["'", '"', "`"].find(
    (each) => !text.includes(each) && !(each === '"' && text.includes("\\n")),
  );
  if (quote !== undefined) return `${quote}${text}${quote}`;
  // Without quotes, blanks at the ends, a comment and all but one line are
  // lost.
  return /^['"`\s]|[\n#]|\s$/.test(text) ? undefined : text;
}

/**
 * python-dotenv expands `${NAME}` between all quotes, but not inside a default.
 * It reads a backslash before the closing quote as an escape, so an empty
 * default is put between them.
 */
function quoteForPython(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, "\\$&")
    .replaceAll("\r", "\\r")
    .replaceAll("${", "${:-$}{");
  return `"${escaped}${text.endsWith("\\") ? "${:-}" : ""}"`;
}

/**
 * Docker Compose expands `$NAME` between double quotes, and can't escape every
 * single quote between single quotes.
 */
function quoteForCompose(text: string): string {
  return `"${text.replace(/[\\"$]/g, "\\$&").replaceAll("\r", "\\r")}"`;
}

export const DOTENV_WRITERS: Readonly<Record<DotenvTarget, Writer>> = {
  node: writerFor("Node", unlessPlain(quoteForNode), carriageReturn, unquotable),
  python: writerFor("python-dotenv", unlessPlain(quoteForPython)),
  // For `set -a; . ./.env`.
  shell: writerFor("a shell", quoteForShell, notShellName, reservedByShell),
  compose: writerFor("Docker Compose", unlessPlain(quoteForCompose)),
};
