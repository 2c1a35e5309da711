import type { KeyPair } from "../../domain/environment.js";
import { command, shellWord } from "../../domain/shell.js";
import type { Io } from "../output/io.js";

/**
 * The lines that configure a shell for a server, an environment, or both: a POSIX shell, or PowerShell on Windows. They
 * contain the secret.
 */
export function pasteLines(
  url: string | undefined,
  credentials: KeyPair | undefined,
  { platform, env }: Pick<Io, "platform" | "env">,
): string[] {
  // Git Bash and the other shells of MSYS2 set MSYSTEM.
  const isPowerShell = platform === "win32" && !env["MSYSTEM"];
  const variables = {
    APPVARS_URL: url,
    APPVARS_API_KEY: credentials?.api_key,
    APPVARS_API_SECRET: credentials?.api_secret,
  };
  return Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [isPowerShell ? powerShellLine(name, value) : `export ${name}=${shellWord(value)}`],
  );
}

/** PowerShell takes each of these quotes for the end of the text, unless it is doubled. */
function powerShellLine(name: string, value: string): string {
  return `$env:${name} = '${value.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
}

/** The command that gives an environment new credentials. @param flags select the data */
export function rotateCommand(flags: readonly string[]): string {
  return command`appvars env rotate NAME ${flags}`;
}
