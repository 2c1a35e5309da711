import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A proxy that sends these bytes to the server instead of any request: an HTTP client sees the
 * answer to them. Closed when the current test ends.
 */
export async function garblingProxy(
  server: { port: number },
  bytes: string,
): Promise<{ port: number }> {
  const proxy = createServer((client) => {
    const upstream = connect(server.port, "127.0.0.1", () => upstream.write(bytes));
    upstream.pipe(client);
    client.resume();
    // Each side may disconnect before the other notices.
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.on("close", () => upstream.destroy());
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return { port: (proxy.address() as AddressInfo).port };
}
