import { UsageError } from "../domain/errors.js";

/**
 * A server's URL, which is an origin and nothing more: the signature covers the path as the server sees it,
 * so a prefix that a proxy takes off can't be supported.
 *
 * @throws UsageError
 */
export function parseOrigin(url: string | URL): URL {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined;
  const isHttp = parsed?.protocol === "http:" || parsed?.protocol === "https:";
  if (!parsed || !isHttp) throw new UsageError("the server's URL must look like http://127.0.0.1:7400");
  // Checked apart, and not quoted: there may be a password in it.
  if (parsed.username || parsed.password) throw new UsageError("the server's URL must not hold a user or a password");
  if (parsed.pathname !== "/" || parsed.search || parsed.hash) {
    throw new UsageError(`the server's URL must have no path, query or fragment: use ${parsed.origin}`);
  }
  return parsed;
}
