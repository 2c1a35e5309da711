import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { bind } from "../server/listener.js";

/** A socket that other processes can listen on, and that this one accepts no connections from. */
export interface SharedSocket {
  readonly host: string;
  readonly port: number;
  /** For `send` of a child process, and `listen` of a server there. */
  readonly handle: object;
  close(): void;
}

/** Undocumented parts of node:net, which node:cluster uses for the same purpose. */
interface Handle {
  getsockname(name: Partial<AddressInfo>): number;
  getpeername(name: Partial<AddressInfo>): number;
  close(): void;
}
type CreateServerHandle = (
  address: string | null,
  port: number,
  family: 4 | 6,
  fd: number,
  flags: number,
) => Partial<Handle> | number;
const createHandle = (net as unknown as { _createServerHandle: CreateServerHandle })._createServerHandle;

/** @throws as `bind` does */
export async function openSharedSocket(host: string, port: number): Promise<SharedSocket> {
  // Looks the host up, chooses a port, and reports errors as for any other server.
  const server = net.createServer();
  await bind(server, host, port);
  const { address, family, port: bound } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const handle = createHandle(address, bound, family === "IPv6" ? 6 : 4, -1, 0);
  // Node reports the error when it listens, and the system would then choose another port.
  if (typeof handle === "number" || nameOf(handle as Handle).port !== bound) throw takenError();
  return { host, port: bound, handle, close: () => (handle as Handle).close() };
}

/**
 * A socket that another process has opened, and left to this one.
 *
 * @throws Error if the descriptor is not a TCP socket that can be listened on
 */
export function adoptSocket(fd: number): SharedSocket {
  const handle = createHandle(null, 0, 4, fd, 0);
  if (!isTcpHandle(handle)) throw new Error(`descriptor ${fd} is not a TCP socket`);
  const { address, port } = nameOf(handle);
  if (!address || !port || handle.getpeername({}) === 0) throw new Error(`descriptor ${fd} is not a listening socket`);
  return { host: address, port, handle, close: () => handle.close() };
}

/** What Node makes of a Unix socket has no address. */
function isTcpHandle(handle: Partial<Handle> | number): handle is Handle {
  return typeof handle === "object" && handle.getsockname !== undefined;
}

function nameOf(handle: Handle): Partial<AddressInfo> {
  const name = {};
  handle.getsockname(name);
  return name;
}

/** Another process has taken the port in the meantime. */
export function takenError(): Error {
  return Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE" });
}
