import { getProxyForUrl } from "proxy-from-env";

/** Whether NO_PROXY excludes a server that a variable names a proxy for. Apart, since few calls need the library. */
export function isExcluded(server: URL, env: Readonly<Record<string, string | undefined>>): boolean {
  const own = process.env;
  // The library reads the environment of the process only.
  process.env = { ...env };
  try {
    return getProxyForUrl(server.href) === "";
  } finally {
    process.env = own;
  }
}
