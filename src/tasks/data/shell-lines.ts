import { command, shellWord } from "../../kit/text/shell.js";
import {
  type EnvironmentRecord,
  expiringKeys,
  findWeakSecrets,
  type KeyPair,
  qualifiedName,
} from "../../model/environment.js";
import type { Surroundings } from "../surroundings.js";

type Shell = Pick<Surroundings, "platform" | "env">;

/** The lines that configure a shell for an environment. They contain the secret. */
export function credentialLines({ api_key, api_secret }: KeyPair, shell: Shell): string[] {
  return pasteLines({ APPVARS_API_KEY: api_key, APPVARS_API_SECRET: api_secret }, shell);
}

/** The lines that set these variables in a POSIX shell, or in PowerShell on Windows. */
export function pasteLines(
  variables: Readonly<Record<string, string>>,
  { platform, env }: Shell,
): string[] {
  // Git Bash and the other shells of MSYS2 set MSYSTEM.
  const isPowerShell = platform === "win32" && !env["MSYSTEM"];
  return Object.entries(variables).map(([name, value]) =>
    isPowerShell ? powerShellLine(name, value) : `export ${name}=${shellWord(value)}`,
  );
}

/** PowerShell takes each of these quotes for the end of the text, unless it is doubled. */
function powerShellLine(name: string, value: string): string {
  return `$env:${name} = '${value.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
}

/** How long before a key expires it is to be replaced, in milliseconds. */
const EXPIRY_NOTICE = 14 * 24 * 3_600_000;

/**
 * What is wrong with keys, or soon will be, and the command that replaces them.
 *
 * @param flags select the data
 */
export function keyWarnings(
  environments: readonly EnvironmentRecord[],
  now: number,
  flags: readonly string[],
) {
  const isSoon = (time: number) => now < time && time <= now + EXPIRY_NOTICE;
  return [
    ...findWeakSecrets(environments, now).map((message) => ({
      message,
      fix: rotateCommand(flags),
    })),
    ...expiringKeys(environments).flatMap(({ environment, client = "", validUntil }) => {
      if (!isSoon(validUntil)) return [];
      const [of, end] = [qualifiedName(environment), new Date(validUntil).toISOString()];
      const fix = command`appvars env key rotate ${of} ${client} --expires 90d ${flags}`;
      return { message: `the credentials of the key "${client}" of ${of} expire at ${end}`, fix };
    }),
  ];
}

/** The command that gives an environment new credentials. @param flags select the data */
export function rotateCommand(flags: readonly string[]): string {
  return command`appvars env rotate NAME ${flags}`;
}
