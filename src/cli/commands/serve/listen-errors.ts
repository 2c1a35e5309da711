import { hasCode } from "../../../kit/files/system-errors.js";
import { UsageError } from "../../../kit/text/errors.js";
import type { ServerOptions } from "../../../server/start-server.js";

/**
 * Throws the reason why a server can't listen, with advice.
 *
 * @param hostFlag names the host, as `portFlag` the port
 * @throws UsageError, Error
 */
export function throwListenError(
  error: unknown,
  { host, port, fd }: Pick<ServerOptions, "host" | "port" | "fd">,
  hostFlag: string,
  portFlag: string,
): never {
  if (fd !== undefined && hasCode(error, "EINVAL", "ENOTSOCK", "ENOTSUP", "EOPNOTSUPP"))
    throw new UsageError(`LISTEN_FDS is 1, but descriptor ${fd} is not a socket to listen on`);
  if (hasCode(error, "EADDRINUSE"))
    throw new Error(
      `port ${port} on ${host} is in use: choose another with ${portFlag}, or 0 for a free one`,
    );
  if (hasCode(error, "EAI_AGAIN"))
    throw new Error(`${hostFlag} ${host} can't be looked up: no DNS server answers`);
  if (hasCode(error, "EADDRNOTAVAIL", "ENOTFOUND", "EINVAL"))
    throw new UsageError(`${hostFlag} ${host} is not an address of this machine`);
  throw error;
}
