import { randomBytes } from "node:crypto";
import { MAX_LINUX_STRING } from "../kit/process/program.js";
import { escapeUnits } from "../kit/text/printable.js";
import { quoteForShell } from "../kit/text/shell.js";
import type { JsonValue } from "../kit/text/strict-json.js";
import { type NamedValue, valueText } from "../model/variable.js";
import {
  type ExportCheck,
  ifText,
  inAnyString,
  loneSurrogate,
  nul,
  refuse,
  type Writer,
} from "./writer.js";

/** Go's bufio.MaxScanTokenSize in bytes, newline included. */
const MAX_DOCKER_LINE = 64 * 1024;

export function lineWriter(
  format: string,
  checks: readonly ExportCheck[],
  line: (entry: NamedValue) => string,
): Writer {
  return (entries) => {
    refuse(format, entries, ...checks);
    return entries.map(line).join("");
  };
}

/** Refuses names that the consumer itself sets, computes or protects. */
function reservedBy(owner: string, names: string): ExportCheck {
  const reserved = new Set(names.split(/\s+/));
  return ({ name }) => (reserved.has(name) ? `reserved by ${owner}` : undefined);
}

/** Names have no dot or hyphen in POSIX shells (XBD 3.216) and fish. */
export const notShellName: ExportCheck = ({ name }) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? undefined : "not a shell name";

/**
 * Variables of dash and bash 5.2 for which an assignment ends the script, is
 * ignored, or stores another value. Found by a test of all variables.
 */
export const reservedByShell = reservedBy(
  "the shell",
  `BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_COMMAND BASH_LINENO BASH_SOURCE BASH_SUBSHELL
  BASH_VERSINFO DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO OPTIND PPID RANDOM SECONDS
  SHELLOPTS SHLVL SRANDOM UID _`,
);

/** Writes lines for `eval` and `.` in any POSIX shell. */
export const writeShell = lineWriter(
  "shell",
  [notShellName, reservedByShell, nul, loneSurrogate],
  ({ name, value }) => `export ${name}=${quoteForShell(valueText(value))}\n`,
);

/** fish docs, "Special variables" (3.6 and 4). */
const reservedByFish = reservedBy(
  "fish",
  `FISH_VERSION PWD SHLVL _ fish_kill_signal fish_killring fish_pid history hostname pipestatus status
  status_generation umask version`,
);

/**
 * Writes lines for `source` in fish. Between single quotes, the only escapes
 * are `\'` and `\\` (fish docs, "Quotes").
 */
export const writeFish = lineWriter(
  "fish",
  [notShellName, reservedByFish, nul, loneSurrogate],
  ({ name, value }) => `set -gx ${name} '${valueText(value).replace(/['\\]/g, "\\$&")}'\n`,
);

const dockerLine = ({ name, value }: NamedValue) => `${name}=${valueText(value)}\n`;

const tooLong: ExportCheck = (entry) =>
  Buffer.byteLength(dockerLine(entry)) > MAX_DOCKER_LINE
    ? "its line is longer than docker's limit of 64 KiB"
    : undefined;

const endsWithReturn = (consequence: string) =>
  ifText(/\r$/, `its value ends with a carriage return, which ${consequence}`);

/**
 * Writes a file for `docker run --env-file`, which reads everything after the
 * first `=` literally (docker/cli, pkg/kvfile). Docker Compose reads another
 * format: dotenv.
 */
export const writeDocker = lineWriter(
  "docker",
  [
    nul,
    ifText(/\n/, "its value contains a newline, and docker reads line by line"),
    endsWithReturn("docker drops"),
    loneSurrogate,
    tooLong,
  ],
  dockerLine,
);

/** systemd's `unichar_is_valid`. */
const notForSystemd = ifText(
  /\p{Noncharacter_Code_Point}/u,
  "its value contains a Unicode noncharacter, which systemd refuses",
);

const tooLongForLinux: ExportCheck = ({ name, value }) =>
  Buffer.byteLength(`${name}=${valueText(value)}\0`) > MAX_LINUX_STRING
    ? "it is longer than Linux's limit of 128 KiB for one variable"
    : undefined;

/**
 * Writes a file for `EnvironmentFile=` of systemd (systemd.exec(5);
 * `parse_env_file_internal`). Between double quotes, a backslash escapes `"`,
 * `\`, a backtick or `$`. Older versions also have escapes between single
 * quotes.
 */
export const writeSystemd = lineWriter(
  "systemd",
  [notShellName, nul, loneSurrogate, notForSystemd, tooLongForLinux],
  ({ name, value }) => `${name}="${valueText(value).replace(/["\\`$]/g, "\\$&")}"\n`,
);

/**
 * Writes lines for `Invoke-Expression` and dot sourcing in PowerShell 5.1 and
 * 7. Each variable is one line of ASCII, since 5.1 reads files and pipes in an
 * old code page, and all versions read a pipe line by line. PowerShell reads
 * curly quotes as straight ones, so they are escaped.
 */
export const writePowershell = lineWriter(
  "powershell",
  [
    ifText(/^$/, "its value is empty, and PowerShell before 7.5 removes such a variable"),
    nul,
    loneSurrogate,
  ],
  ({ name, value }) => {
    const variable = /^\w+$/.test(name) ? `$env:${name}` : `\${env:${name}}`;
    return `${variable} = ${powershellString(valueText(value))}\n`;
  },
);

const POWERSHELL_ESCAPES: Record<string, string> = { "\t": "`t", "\n": "`n", "\r": "`r" };

/**
 * about_Quoting_Rules, about_Special_Characters; 5.1 has no escape for a code
 * point.
 */
function powershellString(text: string): string {
  if (/^[ -~]*$/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  const escaped = text
    .replace(/["$`]/g, "`$&")
    .replace(/[^ -~]/g, (unit) => POWERSHELL_ESCAPES[unit] ?? `$([char]${unit.charCodeAt(0)})`);
  return `"${escaped}"`;
}

/** HCL normalizes every string (spec, "Literal Values"). */
const notNormalized = ifText(
  { test: (text) => text !== text.normalize("NFC") },
  "its value is not in Unicode's form NFC, as required by HCL",
);

/** Arguments of a module call, which Terraform variables can't have as names. */
const reservedByTerraform = reservedBy(
  "Terraform",
  "count depends_on for_each lifecycle locals providers source version _",
);

/**
 * Writes a Terraform `.tfvars` file (HCL native syntax specification, "Template
 * Expressions" and "Collection Values").
 */
export const writeTfvars = lineWriter(
  "tfvars",
  [
    ({ name }) => (name.includes(".") ? "not an HCL name" : undefined),
    reservedByTerraform,
    inAnyString(loneSurrogate, notNormalized),
  ],
  ({ name, value }) => `${name} = ${hclLiteral(value)}\n`,
);

function hclLiteral(value: JsonValue): string {
  if (typeof value === "string") return hclString(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(hclLiteral).join(", ")}]`;
  const items = Object.entries(value).map(
    ([key, item]) => `${hclString(key)} = ${hclLiteral(item)}`,
  );
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
}

const HCL_ESCAPES: Record<string, string> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** `${` and `%{` start a template unless the first character is doubled. */
function hclString(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, "\\$&")
    .replace(/[$%](?=\{)/g, "$&$&")
    .replace(
      /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]/g,
      (unit) => HCL_ESCAPES[unit] ?? escapeUnits(unit),
    );
  return `"${escaped}"`;
}

/**
 * The runner refuses NODE_OPTIONS, and ignores values for its own variables. On
 * Windows, case does not matter.
 */
const reservedByGithub: ExportCheck = ({ name }) =>
  /^(GITHUB_|RUNNER_|NODE_OPTIONS$)/i.test(name) ? "reserved by GitHub" : undefined;

/**
 * Writes lines for the end of the file `$GITHUB_ENV` (GitHub docs, "Workflow
 * commands", "Multiline strings"; the runner's FileCommandManager). A value
 * that contains the delimiter could set other variables, so the delimiter is
 * random, as GitHub requires, and not in any value.
 */
export const writeGithub: Writer = (
  entries,
  { randomHex = () => randomBytes(16).toString("hex") } = {},
) => {
  refuse(
    "github",
    entries,
    notShellName,
    reservedByGithub,
    nul,
    endsWithReturn("a Windows runner drops"),
    loneSurrogate,
  );
  const texts = entries.map(({ name, value }) => ({ name, text: valueText(value) }));
  let delimiter: string;
  do delimiter = `appvars_${randomHex()}`;
  while (texts.some(({ text }) => text.includes(delimiter)));
  return texts.map(({ name, text }) => `${name}<<${delimiter}\n${text}\n${delimiter}\n`).join("");
};
