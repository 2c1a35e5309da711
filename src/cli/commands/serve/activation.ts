import type { SharedSocket } from "../../../cluster/shared-socket.js";
import { UsageError } from "../../../domain/errors.js";
import type { Io } from "../../output/io.js";

/** The first descriptor that a service manager passes on. */
const FIRST_FD = 3;
const VARIABLES = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"];

/**
 * The socket that a service manager such as systemd has opened for this process; undefined without one. The protocol is
 * that of sd_listen_fds(3). Removes its variables from the environment, since child processes don't get the socket.
 *
 * @throws UsageError for several sockets, or one that can't be listened on
 */
export async function takeActivatedSocket(env: Io["env"], pid: number): Promise<SharedSocket | undefined> {
  const [forPid, count] = [env["LISTEN_PID"], env["LISTEN_FDS"]];
  for (const name of VARIABLES) delete env[name];
  if (forPid !== String(pid) || count === undefined) return undefined;
  if (count !== "1") throw new UsageError(`LISTEN_FDS is ${JSON.stringify(count)}, but serve listens on one socket`);
  const { adoptSocket } = await import("../../../cluster/shared-socket.js");
  try {
    return adoptSocket(FIRST_FD);
  } catch (error) {
    throw new UsageError(`LISTEN_FDS is 1, but ${(error as Error).message}`);
  }
}
