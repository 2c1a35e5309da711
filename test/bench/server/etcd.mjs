import { strict as assert } from "node:assert";
import { join } from "node:path";
import { createEtcdStore } from "../../../build/etcd/open-store.js";
import { parseStoreUrl } from "../../../build/model/store-address.js";
import { EtcdProcess } from "../shared/etcd-process.mjs";
import { ServerProcess } from "../shared/server-process.mjs";
import { SERVER_CORE } from "./cores.mjs";
import { benchData, writeData } from "./data.mjs";
import { whole } from "./markdown.mjs";
import { AUTHENTICATION, contentTarget, get, prepareRequests } from "./requests.mjs";
import { measure, report } from "./throughput.mjs";

const VARIABLES = 1_000;
const { signature } = AUTHENTICATION;

/**
 * Requests per second, and CPU time per request, of a server whose data is in etcd, as ratios to
 * those of one with the same data in a file. They take turns.
 *
 * @param {{ folder: string, rounds: number, log: (text: string) => void }} options
 */
export async function etcd({ folder, rounds, log }) {
  const data = benchData(VARIABLES);
  const targets = data.variables.map(({ name }) => contentTarget(name));
  const requests = join(folder, "requests.http");
  const store = await EtcdProcess.start(join(folder, "etcd"));
  const servers = [];
  const start = async (name, place, limit) => {
    const server = ServerProcess.serve(place, { core: SERVER_CORE, cache: folder });
    servers.push(server);
    return {
      name,
      request: "content by name",
      server,
      url: await server.url(),
      status: 200,
      results: [],
      limit,
    };
  };
  try {
    await createEtcdStore({ address: parseStoreUrl(store.url, "the URL") }, data);
    const file = await start("appvars, a data file", writeData(folder, "data.json", data).path);
    const replica = await start("appvars, etcd", store.url, file);
    for (const target of targets) {
      const [{ body: expected }, { status, body }] = await Promise.all(
        [file, replica].map(({ url }) => get(url, target, signature)),
      );
      assert.deepEqual({ status, body }, { status: 200, body: expected });
    }
    // The first round warms up and is not counted.
    for (let round = 0; round <= rounds; round++) {
      // Neither always comes first.
      for (const item of round % 2 ? [file, replica] : [replica, file]) {
        prepareRequests(requests, targets, signature);
        const result = await measure(item, requests);
        log(`round ${round} of ${rounds}: ${whole(result.rate)}/s ${item.name}`);
        if (round > 0) item.results.push(result);
      }
    }
    return report([file, replica]);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await store.stop();
  }
}
