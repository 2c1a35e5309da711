import { onTestFinished } from "vitest";
import { type LocalServer, type ServeOptions, serve } from "../../src/library/local-server.js";
import type { ServerOptions } from "../../src/server/start-server.js";
import { CREDENTIALS, DATA } from "./data.js";

/** A server on a free port over {@link DATA}, closed when the current test ends. */
export async function runningServer(
  options: Partial<ServeOptions> & ServerOptions = {},
): Promise<LocalServer> {
  const server = await serve({ data: DATA, port: 0, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** The environment variables of a command that reads shop/development from a new server. */
export async function serverEnvironment(): Promise<Record<string, string>> {
  const { url } = await runningServer();
  return { APPVARS_URL: url, ...CREDENTIALS };
}
