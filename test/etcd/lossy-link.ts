import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { httpPeer } from "../client/peer.js";

/** A transaction on its way. */
interface Exchange {
  /** Hands it to etcd. @returns the answer */
  forward(): Promise<Buffer>;
  /** Ends the connection without an answer. */
  drop(): void;
  /** Answers the sender. */
  reply(answer: Buffer): void;
}

/** A fault that replaces the forwarding of a transaction. */
export type Fault = (exchange: Exchange) => Promise<void> | void;

/** It is made, and its answer is lost. */
export const loseAnswer: Fault = async ({ forward, drop }) => {
  await forward();
  drop();
};
/** It never arrives. */
export const loseRequest: Fault = ({ drop }) => drop();
/** It is made, and the answer does not come. */
export const delayAnswer: Fault = async ({ forward }) => {
  await forward();
};

/** It is delivered twice, one after the other, and the second answer arrives. */
export const repeat: Fault = async ({ forward, reply }) => {
  await forward();
  reply(await forward());
};
/**
 * It is delivered twice at the same time, and the answer to a delivery that was refused arrives.
 */
export const repeatAtOnce: Fault = async ({ forward, reply }) => {
  const answers = await Promise.all([forward(), forward()]);
  const refused = answers.find((answer) => !answer.includes('"succeeded"'));
  reply(refused ?? answers[1]);
};

/** Each is delivered twice: the second time before a later one is, or when `landAll` is called. */
export class Echoes {
  readonly #late: (() => Promise<Buffer>)[] = [];

  readonly fault: Fault = async ({ forward, reply }) => {
    const earlier = this.#late.splice(0, Math.max(0, this.#late.length - 2));
    for (const land of earlier) await land();
    const answer = await forward();
    this.#late.push(forward);
    reply(answer);
  };

  async landAll(): Promise<void> {
    for (const land of this.#late.splice(0)) await land();
  }
}

/** It is lost for the sender, and arrives later: when `land` is called. */
export class Ghost {
  #forward: (() => Promise<Buffer>) | undefined;

  readonly fault: Fault = ({ forward, drop }) => {
    this.#forward = forward;
    drop();
  };

  async land(): Promise<string> {
    if (!this.#forward) throw new Error("nothing has been sent");
    return (await this.#forward()).toString();
  }
}

/**
 * A link to an etcd that fails. Closed when the current test ends.
 *
 * @param faultOf the fault of a transaction that writes, given the number of earlier ones;
 *   undefined for none
 * @param options.all whether all other requests have faults, too
 */
export async function lossyLink(
  target: number,
  faultOf: (before: number) => Fault | undefined,
  { all = false }: { all?: boolean } = {},
) {
  const link = { port: 0, transactions: 0, isDown: false };
  const { port } = await httpPeer(async (req, res) => {
    const drop = () => void res.destroy();
    try {
      const body = await buffer(req);
      const { method, url: path, headers } = req;
      const send = async () => {
        const outgoing = request({
          host: "127.0.0.1",
          port: target,
          method,
          path,
          headers,
          agent: false,
        });
        res.once("close", () => outgoing.destroy());
        outgoing.end(body);
        const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
        return answer;
      };
      if (link.isDown) return drop();
      // Ranges are read by transactions too.
      const isWrite = body.includes('"request_put"') || body.includes('"request_delete_range"');
      const fault = isWrite || all ? faultOf(link.transactions++) : undefined;
      const reply = (answer: Buffer) => void res.end(answer);
      if (fault) return await fault({ forward: async () => buffer(await send()), drop, reply });
      const answer = await send();
      res.writeHead(answer.statusCode ?? 0);
      await pipeline(answer, res);
    } catch {
      drop();
    }
  });
  link.port = port;
  return link;
}
