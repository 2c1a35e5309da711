import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { sharedEtcd } from "../support/etcd.js";
import { get } from "../support/http.js";
import { needs } from "../support/needed-program.js";
import { serveProcess } from "../support/serve-process.js";
import { tcpProxy } from "../support/tcp-proxy.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const PORT = "/v1/variables-values-by-name/PORT";
const FLAGS = "/v1/variables-values-by-name/FLAGS";

async function appvars(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(words);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

/** Adds a key of shop/development. @param place flags that name the data */
async function addKey(
  name: string,
  place: string[],
  ...flags: string[]
): Promise<Record<string, string>> {
  const words = [
    "env",
    "key",
    "add",
    "shop/development",
    "--name",
    name,
    ...flags,
    ...place,
    "--json",
  ];
  const { api_key, api_secret } = JSON.parse(await appvars(...words));
  return { "x-api-key": api_key, "x-api-secret": api_secret };
}

type Server = Awaited<ReturnType<typeof serveProcess>>;

async function status(
  server: Server,
  headers: Record<string, string>,
  target = PORT,
): Promise<number> {
  return (await get(server, target, headers)).status;
}

async function replica(url: string, ...flags: string[]): Promise<Server> {
  return serveProcess(["--store", url, ...flags], {
    env: { XDG_CACHE_HOME: await temporaryFolder() },
  });
}

describe("named keys of a store in etcd", needs("etcd"), () => {
  const etcd = sharedEtcd();

  /** A store with {@link DATA}, and the flags that name it. */
  async function store() {
    const url = etcd().storeUrl();
    await runCli(["migrate", (await dataFile(DATA)).path, url]);
    return { url, place: ["--store", url] };
  }

  it("all replicas serve a key that is added, rotated and removed, and its history names it", async () => {
    const { url, place } = await store();
    const replicas = [await replica(url), await replica(url)];
    const expectAll = async (expected: number, headers: Record<string, string>, target = PORT) => {
      for (const server of replicas)
        await expect.poll(() => status(server, headers, target)).toBe(expected);
    };
    const ana = await addKey("ana", place, "--only", "PORT");
    await expectAll(200, ana);
    await expectAll(404, ana, FLAGS);
    await appvars(
      "env",
      "key",
      "rotate",
      "shop/development",
      "ana",
      "--grace",
      "1h",
      "--quiet",
      ...place,
    );
    await expectAll(200, ana);
    expect(await appvars("env", "key", "list", ...place)).toContain("\tana\t");
    await appvars("env", "key", "remove", "shop/development", "ana", "--quiet", ...place);
    await expectAll(401, ana);
    const history = await appvars("history", ...place);
    expect(history.match(/key "ana" \w+/g)).toEqual([
      'key "ana" removed',
      'key "ana" rotated',
      'key "ana" added',
    ]);
  });

  it("a replica without its store takes a removed key for as long as its data is of age, and says how old that is", async () => {
    const { url, place } = await store();
    const link = await tcpProxy(etcd().members[0]?.port ?? 0);
    const linked = new URL(url);
    linked.port = String(link.port);
    const server = await replica(String(linked), "--max-stale", "1s");
    const ana = await addKey("ana", place);
    await expect.poll(() => status(server, ana)).toBe(200);
    await link.cut();
    await appvars("env", "key", "remove", "shop/development", "ana", "--quiet", ...place);
    // A balancer takes it out.
    await expect.poll(() => status(server, {}, "/healthz")).toBe(503);
    const aged = async () => {
      const { status: last, headers } = await get(server, PORT, ana);
      return last === 200 && Number(headers["appvars-data-age"]);
    };
    await expect.poll(aged).toBeGreaterThanOrEqual(3);
    await link.heal();
    await expect.poll(() => status(server, ana)).toBe(401);
    await expect.poll(() => status(server, {}, "/healthz")).toBe(200);
  });
});
