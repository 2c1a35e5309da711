import type { KeyPair } from "../domain/environment.js";
import { shellWord } from "./escape.js";

/** The lines that point a POSIX shell at a server, an environment, or both. The secret is in them. */
export function pasteLines(url: string | undefined, credentials: KeyPair | undefined): string {
  const variables = {
    APPVARS_URL: url,
    APPVARS_API_KEY: credentials?.api_key,
    APPVARS_API_SECRET: credentials?.api_secret,
  };
  return Object.entries(variables)
    .flatMap(([name, value]) => (value === undefined ? [] : `export ${name}=${shellWord(value)}\n`))
    .join("");
}
