import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/create-client.js";
import { UnreachableError } from "../../src/domain/errors.js";
import { httpPeer, listening } from "./peer.js";

// Made with openssl, valid from 2020 to 2120 for 127.0.0.1 and localhost.
const fixture = (name: string) => readFile(new URL(`../support/tls/${name}`, import.meta.url), "utf8");

describe("the client over TLS", () => {
  it.each(["127.0.0.1", "localhost"])("trusts the certificate that it is given, for %s", async (host) => {
    const { port } = await tlsPeer();
    const client = clientOf(`https://${host}:${port}`, await fixture("certificate.pem"));
    expect(await client.getContentByName("A")).toStrictEqual({ value: "over TLS" });
  });

  it("does not trust a self-signed certificate without, does not try again, and sends nothing", async () => {
    const { url, sockets, targets } = await tlsPeer();
    const error = await clientOf(url)
      .getContentByName("A")
      .catch((reason) => reason);
    expect(error).toStrictEqual(
      new UnreachableError(`can't reach ${url.origin}: its certificate is self-signed; --ca-file names one to trust`),
    );
    expect(sockets).toHaveLength(1);
    expect(targets).toStrictEqual([]);
  });

  it("does not go on without TLS when the server has none", async () => {
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
