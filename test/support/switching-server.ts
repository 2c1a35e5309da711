import { request } from "node:http";
import { httpPeer } from "../client/peer.js";
import { runningServer } from "./running-server.js";

interface SwitchingOptions {
  /** Index of the version for a request for data, given the number of earlier ones. */
  pick: (before: number) => number;
  /** Whether `Appvars-Revision` is passed on. Default true. */
  namesRevision?: boolean;
  /** Whether it knows the read of all values in one request. Default true. */
  knowsValues?: boolean;
}

/**
 * A server that answers each request from the version of the data that `pick` selects. Closed when
 * the current test ends.
 */
export async function switchingServer(
  versions: readonly object[],
  { pick, namesRevision = true, knowsValues = true }: SwitchingOptions,
): Promise<{ url: URL; targets: string[] }> {
  const servers = await Promise.all(versions.map((data) => runningServer({ data })));
  const targets: string[] = [];
  const { url } = await httpPeer((req, res) => {
    if (!knowsValues && /^\/v1\/variables-values-by-name(\?|$)/.test(req.url ?? "")) {
      res.writeHead(404, { "content-type": "application/json" }).end('{"message":"Not found"}');
      return;
    }
    const isData = req.url?.startsWith("/v1/") ?? false;
    const { port } = servers[isData ? pick(targets.length) : 0] as { port: number };
    if (isData) targets.push(req.url ?? "");
    const { method, url: path, headers } = req;
    request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (answer) => {
      if (!namesRevision) delete answer.headers["appvars-revision"];
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    }).end();
  });
  return { url, targets };
}
