import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { bind } from "../server/listener.js";

/** A socket that other processes can listen on, and that this one accepts no connections from. */
export interface SharedSocket {
  readonly port: number;
  /** For `send` of a child process, and `listen` of a server there. */
  readonly handle: object;
  close(): void;
}

/** Undocumented parts of node:net, which node:cluster uses for the same purpose. */
interface Handle {
  getsockname(address: { port?: number }): number;
  close(): void;
}
type CreateServerHandle = (address: string, port: number, family: 4 | 6, fd: number, flags: number) => Handle | number;

/** @throws as `bind` does */
export async function openSharedSocket(host: string, port: number): Promise<SharedSocket> {
  // Looks the host up, chooses a port, and reports errors as for any other server.
  const server = net.createServer();
  await bind(server, host, port);
  const { address, family, port: bound } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const create = (net as unknown as { _createServerHandle: CreateServerHandle })._createServerHandle;
  const handle = create(address, bound, family === "IPv6" ? 6 : 4, -1, 0);
  if (typeof handle === "number") throw takenError();
  const name: { port?: number } = {};
  handle.getsockname(name);
  // Node reports the error when it listens, and the system would then choose another port.
  if (name.port !== bound) throw takenError();
  return { port: bound, handle, close: () => handle.close() };
}

/** Another process has taken the port in the meantime. */
export function takenError(): Error {
  return Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE" });
}
