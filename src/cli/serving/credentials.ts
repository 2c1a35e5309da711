import type { KeyPair } from "../../domain/environment.js";
import { shellWord } from "../output/escape.js";

/** The lines that configure a POSIX shell for a server, an environment, or both. They contain the secret. */
export function pasteLines(url: string | undefined, credentials: KeyPair | undefined): string[] {
  const variables = {
    APPVARS_URL: url,
    APPVARS_API_KEY: credentials?.api_key,
    APPVARS_API_SECRET: credentials?.api_secret,
  };
  return Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [`export ${name}=${shellWord(value)}`],
  );
}

/** The command that gives an environment new credentials. @param flags select the data */
export function rotateCommand(flags: readonly string[]): string {
  return `appvars env rotate NAME ${flags.map(shellWord).join(" ")}`;
}
