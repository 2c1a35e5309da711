import { createServer, type ServerOptions } from "node:https";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../../src/client/client.js";
import { UnreachableError, UsageError } from "../../src/kit/text/errors.js";
import { CLIENT, CLIENT_CA, TLS } from "../support/tls.js";
import { httpPeer, listening, tcpPeer } from "./peer.js";

describe("the client over TLS", () => {
  it.each(["127.0.0.1", "localhost"])("trusts the given certificate for %s", async (host) => {
    const { port } = await tlsPeer();
    const client = clientOf(`https://${host}:${port}`, TLS.cert);
    expect(await client.getContentByName("A")).toStrictEqual({ value: "over TLS" });
  });

  it("rejects another self-signed certificate without retrying or sending anything", async () => {
    const { url, sockets, targets } = await tlsPeer();
    const error = await clientOf(url)
      .getContentByName("A")
      .catch((reason) => reason);
    expect(error).toStrictEqual(
      new UnreachableError(
        `can't reach ${url.origin}: its certificate is self-signed; to trust it, use --ca-file, not SSL_CERT_FILE`,
      ),
    );
    expect(sockets).toHaveLength(1);
    expect(targets).toStrictEqual([]);
  });

  it.each(["0", "1"])(
    "rejects a self-signed certificate with NODE_TLS_REJECT_UNAUTHORIZED=%s too",
    async (setting) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", setting);
      onTestFinished(() => void vi.unstubAllEnvs());
      const { url, targets } = await tlsPeer();
      await expect(clientOf(url).getContentByName("A")).rejects.toThrow(
        "its certificate is self-signed",
      );
      expect(targets).toStrictEqual([]);
    },
  );

  it("reports a reset if the connection ends during the handshake", async () => {
    const { port } = await tcpPeer((socket) => socket.end());
    const client = new Client({
      url: `https://127.0.0.1:${port}`,
      apiSecret: "secret",
      maxWait: 0,
    });
    onTestFinished(() => client.close());
    await expect(client.getContentByName("A")).rejects.toThrow("the connection was reset");
  });

  it("presents its certificate", async () => {
    const { url } = await tlsPeer({ ca: CLIENT_CA, requestCert: true, rejectUnauthorized: true });
    const client = new Client({ url, apiSecret: "secret", ca: TLS.cert, ...CLIENT });
    onTestFinished(() => client.close());
    expect(await client.getContentByName("A")).toStrictEqual({ value: "over TLS" });
    const message =
      "it requires a client certificate that it trusts; to present one, use --client-cert and --client-key";
    await expect(clientOf(url, TLS.cert).getContentByName("A")).rejects.toThrow(message);
  });

  it("reports that the server does not trust its certificate", async () => {
    // The server's own certificate is no authority for the client's.
    const { url } = await tlsPeer({ ca: TLS.cert, requestCert: true, rejectUnauthorized: true });
    const client = new Client({ url, apiSecret: "secret", ca: TLS.cert, maxWait: 0, ...CLIENT });
    onTestFinished(() => client.close());
    const message = "the connection was reset; does the server trust the client certificate?";
    await expect(client.getContentByName("A")).rejects.toThrow(message);
  });

  it("reports the alert of a server that does not trust its certificate", async () => {
    // A fatal alert, unknown_ca (RFC 8446, section 6).
    const alert = Buffer.from([21, 3, 3, 0, 2, 2, 48]);
    const { port } = await tcpPeer((socket) => socket.end(alert));
    const client = new Client({
      url: `https://127.0.0.1:${port}`,
      apiSecret: "secret",
      maxWait: 0,
      ...CLIENT,
    });
    onTestFinished(() => client.close());
    await expect(client.getContentByName("A")).rejects.toThrow(
      "it requires a client certificate that it trusts",
    );
  });

  it.each([
    [
      "a certificate without a key",
      { cert: CLIENT.cert },
      "key contains no PEM private key, or one that can't be read",
    ],
    [
      "a key without a certificate",
      { key: CLIENT.key },
      "cert contains no PEM certificate, or one that can't be read",
    ],
    [
      "a key of another certificate",
      { ...CLIENT, key: TLS.key },
      "the key in key does not belong to the certificate in cert",
    ],
  ])("refuses %s", (_what, pair, message) => {
    expect(() => new Client({ url: "https://127.0.0.1:1", ...pair })).toThrow(
      new UsageError(message),
    );
  });

  it("does not continue without TLS if the server has none", async () => {
    const { port } = await httpPeer((_req, res) => res.end('{"value":"in the open"}'));
    await expect(clientOf(`https://127.0.0.1:${port}`).getContentByName("A")).rejects.toThrow(
      UnreachableError,
    );
  });
});

describe("the client, at an http: URL,", () => {
  it("asks whether the URL should begin with https: if the server speaks TLS", async () => {
    const { port, targets } = await tlsPeer();
    const client = clientOf(`http://127.0.0.1:${port}`);
    await expect(client.getContentByName("A")).rejects.toThrow(
      "the connection was reset; should the URL begin with https:?",
    );
    expect(targets).toEqual([]);
  });
});

async function tlsPeer(options: ServerOptions = {}) {
  const targets: (string | undefined)[] = [];
  const server = createServer({ ...TLS, ...options }, (req, res) => {
    targets.push(req.url);
    res.end('{"value":"over TLS"}');
  });
  server.on("tlsClientError", () => {});
  return { ...(await listening(server, "https")), targets };
}

function clientOf(url: string | URL, ca?: string) {
  const client = new Client({ url, apiKey: "key", apiSecret: "secret", maxWait: 0, ca });
  onTestFinished(() => client.close());
  return client;
}
