import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient } from "../../src/client/client.js";
import { UnreachableError } from "../../src/domain/errors.js";
import { httpPeer, listening, tcpPeer } from "./peer.js";

// Made with openssl, valid from 2020 to 2120 for 127.0.0.1 and localhost.
const fixture = (name: string) => readFile(new URL(`../support/tls/${name}`, import.meta.url), "utf8");

describe("the client over TLS", () => {
  it.each(["127.0.0.1", "localhost"])("the client over TLS trusts the given certificate for %s", async (host) => {
    const { port } = await tlsPeer();
    const client = clientOf(`https://${host}:${port}`, await fixture("certificate.pem"));
    expect(await client.getContentByName("A")).toStrictEqual({ value: "over TLS" });
  });

  it("the client over TLS rejects another self-signed certificate without retrying or sending anything", async () => {
    const { url, sockets, targets } = await tlsPeer();
    const error = await clientOf(url)
      .getContentByName("A")
      .catch((reason) => reason);
    expect(error).toStrictEqual(
      new UnreachableError(`can't reach ${url.origin}: its certificate is self-signed; to trust it, use --ca-file`),
    );
    expect(sockets).toHaveLength(1);
    expect(targets).toStrictEqual([]);
  });

  it.each(["0", "1"])(
    "the client over TLS rejects a self-signed certificate with NODE_TLS_REJECT_UNAUTHORIZED=%s too",
    async (setting) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", setting);
      onTestFinished(() => void vi.unstubAllEnvs());
      const { url, targets } = await tlsPeer();
      await expect(clientOf(url).getContentByName("A")).rejects.toThrow("its certificate is self-signed");
      expect(targets).toStrictEqual([]);
    },
  );

  it("the client over TLS reports a reset if the connection ends during the handshake", async () => {
    const { port } = await tcpPeer((socket) => socket.end());
    const client = createClient({ url: `https://127.0.0.1:${port}`, apiSecret: "secret", maxWait: 0 });
    onTestFinished(() => client.close());
    await expect(client.getContentByName("A")).rejects.toThrow("the connection was reset");
  });

  it("the client over TLS does not continue without TLS if the server has none", async () => {
    const { port } = await httpPeer((_req, res) => res.end('{"value":"in the open"}'));
    await expect(clientOf(`https://127.0.0.1:${port}`).getContentByName("A")).rejects.toThrow(UnreachableError);
  });
});

async function tlsPeer() {
  const targets: (string | undefined)[] = [];
  const [key, cert] = await Promise.all([fixture("key.pem"), fixture("certificate.pem")]);
  const server = createServer({ key, cert }, (req, res) => {
    targets.push(req.url);
    res.end('{"value":"over TLS"}');
  });
  server.on("tlsClientError", () => {});
  return { ...(await listening(server, "https")), targets };
}

function clientOf(url: string | URL, ca?: string) {
  const client = createClient({ url, apiKey: "key", apiSecret: "secret", maxWait: 1, ca });
  onTestFinished(() => client.close());
  return client;
}
