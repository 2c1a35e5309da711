import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

/** One etcd on loopback, with its own defaults. */
export class EtcdProcess {
  /** `etcd://127.0.0.1:PORT` */
  url;
  #child;

  get pid() {
    return this.#child.pid;
  }

  /**
   * Resolves once it is ready.
   *
   * @param {string} folder for its data
   * @param {(program: string, args: string[]) => [string, string[]]} launcher of the program
   */
  static async start(folder, launcher = (...call) => call) {
    const etcd = new EtcdProcess();
    const [port, peerPort] = await freePorts();
    const url = `http://127.0.0.1:${port}`;
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    const args = [
      [
        "--name",
        "bench",
        "--data-dir",
        folder,
        "--logger",
        "zap",
        "--initial-cluster",
        `bench=${peerUrl}`,
      ],
      ["--listen-client-urls", url, "--advertise-client-urls", url],
      ["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
    ].flat();
    etcd.url = url.replace("http", "etcd");
    etcd.#child = spawn(...launcher("etcd", args), { stdio: ["ignore", "ignore", "pipe"] });
    const lines = createInterface({ input: etcd.#child.stderr });
    const isReady = new Promise((resolve) => {
      lines.on("line", (line) => line.includes("serving client traffic") && resolve());
    });
    // `once` rejects if it can't be started.
    const hasEnded = once(etcd.#child, "close").then(() => Promise.reject(new Error("etcd ended")));
    await Promise.race([isReady, hasEnded]);
    hasEnded.catch(() => {});
    return etcd;
  }

  async stop() {
    this.#child.kill();
    await once(this.#child, "close");
  }
}

/** Finds two free ports. */
async function freePorts() {
  const servers = [createServer(), createServer()];
  const listening = servers.map((server) => once(server.listen(0, "127.0.0.1"), "listening"));
  await Promise.all(listening);
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) server.close();
  return ports;
}
