import { ROUTES } from "../../domain/routes.js";
import type { OpenPlace, RateLimit } from "../../tui/ports.js";
import type { Io } from "../io.js";
import { openRemote } from "../open-remote.js";
import type { RemoteSettings } from "../source-settings.js";
import type { Means } from "./open-environment.js";
import { rateLimitOf } from "./rate-limit.js";

/**
 * An environment of a server, to be read. It is asked once for each thing: the TUI itself tries again, and shows when.
 *
 * @throws UsageError, UnauthorizedError
 */
export async function openServer(
  settings: RemoteSettings,
  io: Pick<Io, "stdin">,
  { decrypt, getCommand }: Omit<Means, "key">,
  onRateLimit: (rateLimit: RateLimit) => void,
): Promise<OpenPlace> {
  const source = await openRemote({ ...settings, maxWait: 0 }, io, {
    live: true,
    onRetry: () => {},
    onResponse: ({ target, headers }) => {
      // Without credentials it is counted for the address, whose limit is another.
      const rateLimit = target === ROUTES.health ? undefined : rateLimitOf(headers);
      if (rateLimit) onRateLimit(rateLimit);
    },
  });
  return { source, editor: undefined, decrypt, getCommand };
}
