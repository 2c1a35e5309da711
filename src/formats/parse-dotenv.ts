/**
 * An assignment as the dotenv package finds it, with its name and its raw value. A match has no blank lines around it:
 * dotenv's own expression tries all of a thousand blank lines from each of them.
 */
export const ASSIGNMENT =
  /^[^\S\r\n\u2028\u2029]*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?[^\S\r\n\u2028\u2029]*(?:#.*)?$/gm;

export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** The same values as from the dotenv package, by their names. @param text its lines end with `\n` */
export function parseDotenv(text: string): Map<string, string> {
  return new Map(Array.from(text.matchAll(ASSIGNMENT), ([, name = "", raw = ""]) => [name, unquoted(raw.trim())]));
}

function unquoted(raw: string): string {
  const value = raw.replace(/^(['"`])([\s\S]*)\1$/, "$2");
  return raw.startsWith('"') ? value.replaceAll("\\n", "\n").replaceAll("\\r", "\r") : value;
}
