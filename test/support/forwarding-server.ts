import { request } from "node:http";
import { httpPeer } from "../client/peer.js";
import { runningServer } from "./running-server.js";

interface ForwardingOptions {
  /** Default that of the other tests. */
  data?: object;
  /** Whether it does not know the read of all values, as servers of other makers. */
  isOld?: boolean;
}

/** A server in front of another one, and what passes. Closed when the current test ends. */
export async function forwardingServer({ data, isOld = false }: ForwardingOptions = {}) {
  const { port } = await runningServer(data ? { data } : {});
  const targets: string[] = [];
  const statuses: number[] = [];
  const { url } = await httpPeer((req, res) => {
    const target = req.url ?? "";
    targets.push(target);
    const path =
      isOld && /^\/v1\/variables-values-by-name(\?|$)/.test(target) ? "/v1/unknown" : target;
    // Signed for another path.
    const headers =
      path === target
        ? req.headers
        : { "x-api-key": "dev-key", "x-api-secret": "dev-secret", host: "a" };
    request(
      { host: "127.0.0.1", port, method: req.method, path, headers, agent: false },
      (answer) => {
        statuses.push(answer.statusCode ?? 0);
        res.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(res);
      },
    ).end();
  });
  return { url: url.origin, targets, statuses };
}
