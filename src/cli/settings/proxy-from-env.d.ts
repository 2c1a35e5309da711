declare module "proxy-from-env" {
  /** The proxy that the process's environment names for a URL; empty if there is none. */
  export function getProxyForUrl(url: string): string;
}
