// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references that python-dotenv expands
import { quoteForShell } from "../kit/text/shell.js";
import { valueText } from "../model/variable.js";
import {
  type DotenvTarget,
  loneSurrogate,
  nul,
  type Refusal,
  refuse,
  unlessText,
  type Writer,
} from "./entry.js";
import { notShellName, reservedByShell } from "./lines.js";

/**
 * Needs no quotes in any reader. At the start and after a colon, zsh replaces `=ls` by the path of
 * the program.
 */
const UNQUOTED = /^(?!=|.*:=)[A-Za-z0-9_./:@%+,=-]*$/;

/**
 * The form that the `dotenv` package, Node.js, python-dotenv, POSIX shells and Docker Compose read
 * alike; undefined without one. Between single quotes, python-dotenv expands `${NAME}` and takes
 * `\\` for an escape, as it and Compose do with a backslash at the end; dotenv drops carriage
 * returns.
 */
export function portableForm(text: string): string | undefined {
  if (UNQUOTED.test(text)) return text;
  if (!/['\r]|\\\\|\\$|\$\{/.test(text)) return `'${text}'`;
  return /["$`\\\r]/.test(text) ? undefined : `"${text}"`;
}

type Quote = (text: string) => string | undefined;

/**
 * Writes `.env` lines for one reader. Others, and `appvars import` without `--for`, may read
 * different values.
 */
function writerFor(reader: string, refusals: readonly Refusal[], quote: Quote): Writer {
  return (entries) => {
    refuse(`dotenv for ${reader}`, entries, nul, loneSurrogate, ...refusals);
    return entries.map(({ name, value }) => `${name}=${quote(valueText(value))}\n`).join("");
  };
}

function unlessPlain(quote: Quote): Quote {
  return (text) => (UNQUOTED.test(text) ? text : quote(text));
}

const carriageReturn = unlessText(
  (text) => !text.includes("\r"),
  "its value contains a carriage return, which Node drops",
);

const unquotable = unlessText(
  (text) => quoteForNode(text) !== undefined,
  "Node has no quoting that preserves its value",
);

/**
 * `--env-file` and `util.parseEnv` have no escape but `\n` between double quotes. A value ends at
 * the first quote of the kind that it began with.
 */
function quoteForNode(text: string): string | undefined {
  const quote = ["'", '"', "`"].find(
    (each) => !text.includes(each) && !(each === '"' && text.includes("\\n")),
  );
  if (quote !== undefined) return `${quote}${text}${quote}`;
  // Without quotes, blanks at the ends, a comment and all but one line are lost.
  return /^['"`\s]|[\n#]|\s$/.test(text) ? undefined : text;
}

/**
 * python-dotenv expands `${NAME}` between all quotes, but no text that a default stands for. It
 * takes a backslash before the closing quote for an escape, unless something stands between them:
 * here, an empty default.
 */
function quoteForPython(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, "\\$&")
    .replaceAll("\r", "\\r")
    .replaceAll("${", "${:-$}{");
  return `"${escaped}${text.endsWith("\\") ? "${:-}" : ""}"`;
}

/**
 * Docker Compose expands `$NAME` between double quotes, and can't escape every single quote between
 * single ones.
 */
function quoteForCompose(text: string): string {
  return `"${text.replace(/[\\"$]/g, "\\$&").replaceAll("\r", "\\r")}"`;
}

export const DOTENV_WRITERS: Readonly<Record<DotenvTarget, Writer>> = {
  node: writerFor("Node", [carriageReturn, unquotable], unlessPlain(quoteForNode)),
  python: writerFor("python-dotenv", [], unlessPlain(quoteForPython)),
  // For `set -a; . ./.env`.
  shell: writerFor("a shell", [notShellName, reservedByShell], quoteForShell),
  compose: writerFor("Docker Compose", [], unlessPlain(quoteForCompose)),
};
