import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, onTestFinished, TestRunner } from "vitest";
import type { EtcdConnection } from "../../src/etcd/open-store.js";
import { parseStoreUrl } from "../../src/model/store-address.js";
import { BackingProcess, onFreePorts } from "./backing-process.js";
import { CLIENT, CLIENT_CA, TLS, tlsPath } from "./tls.js";

export interface EtcdOptions {
  /**
   * Clients connect with TLS. Without `auth` they have to show the certificate {@link CLIENT}; with
   * it, etcd's gateway refuses those that show one with a common name.
   */
  readonly tls?: boolean;
  /** Clients have to log in. */
  readonly auth?: {
    /** How long a token is good for after it was last used. Default: 300, the default of etcd. */
    readonly tokenSeconds?: number;
  };
  /** Flags of etcd. */
  readonly flags?: readonly string[];
  /** How long each sync of a file takes longer, in milliseconds. Needs strace. */
  readonly syncDelay?: number;
}

/** Keys that {@link USER} may read and write. Each store of a test is below it. */
const TESTS = "/tests";
const ROOT = { name: "root", password: "root-password" };
/** The user of a cluster with `auth`. */
export const USER = { name: "appvars", password: "appvars-password" };

type Certificates = Pick<EtcdConnection, "ca" | "cert" | "key">;
type Json = Record<string, unknown>;

/** A member of a cluster. */
interface EtcdMember {
  readonly port: number;
  /**
   * Its data. Without it, the only member starts as a new cluster that has the same id as before.
   */
  readonly folder: string;
  readonly process: BackingProcess;
}

/**
 * One etcd that is made to be fast and not durable. Stopped when the current test ends, if it is
 * called in one.
 */
export function startEtcd(options: EtcdOptions = {}): Promise<EtcdCluster> {
  return start(1, options);
}

/**
 * A cluster with etcd's own defaults, apart from where it listens. Stopped like {@link startEtcd}.
 */
export function startEtcdCluster(members = 3, options: EtcdOptions = {}): Promise<EtcdCluster> {
  return start(members, options);
}

/** One etcd for all tests of a file or a `describe`. Each uses a prefix of its own. */
export function sharedEtcd(options: EtcdOptions = {}): () => EtcdCluster {
  let etcd: EtcdCluster | undefined;
  beforeAll(async () => {
    etcd = await startEtcd(options);
  });
  afterAll(() => etcd?.dispose());
  return () => {
    if (!etcd) throw new Error("called before the tests");
    return etcd;
  };
}

async function start(size: number, options: EtcdOptions): Promise<EtcdCluster> {
  const folder = await mkdtemp(join(tmpdir(), "appvars-test-etcd-"));
  let members: EtcdMember[] = [];
  const dispose = async () => {
    await Promise.all(members.map(({ process }) => process.kill()));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  if (TestRunner.getCurrentTest()) onTestFinished(dispose);
  const trusted = join(folder, "trusted.pem");
  // The gateway is a client of its own server, and shows the server's certificate.
  if (options.tls) await writeFile(trusted, CLIENT_CA + TLS.cert);
  await onFreePorts(2 * size, async (ports) => {
    await Promise.all(members.map(({ process }) => process.kill()));
    members = membersOn(ports, { ...options, folder, trusted });
    await Promise.all(members.map(({ process }) => process.start()));
  });
  const etcd = new EtcdCluster(members, options, dispose);
  if (options.auth) await requireLogin(etcd);
  return etcd;
}

function membersOn(
  ports: readonly number[],
  {
    folder,
    trusted,
    tls,
    auth,
    flags = [],
    syncDelay,
  }: EtcdOptions & { folder: string; trusted: string },
): EtcdMember[] {
  const size = ports.length / 2;
  const names = ports.slice(0, size).map((_, index) => `m${index + 1}`);
  const peerUrl = (index: number) => `http://127.0.0.1:${ports[size + index]}`;
  const cluster = names.map((name, index) => `${name}=${peerUrl(index)}`).join(",");
  return names.map((name, index) => {
    const port = ports[index] ?? 0;
    const url = `${tls ? "https" : "http"}://127.0.0.1:${port}`;
    const data = join(folder, `${name}-${port}`);
    const args = [
      ["--name", name, "--data-dir", data, "--logger", "zap"],
      ["--listen-client-urls", url, "--advertise-client-urls", url],
      ["--listen-peer-urls", peerUrl(index), "--initial-advertise-peer-urls", peerUrl(index)],
      ["--initial-cluster", cluster, "--initial-cluster-token", `token-${ports[0]}`],
      // Started again, a member waits for the election timeout even if it is the only one.
      size === 1
        ? ["--unsafe-no-fsync", "--heartbeat-interval", "10", "--election-timeout", "100"]
        : [],
      tls && !auth ? ["--client-cert-auth", "--trusted-ca-file", trusted] : [],
      tls ? ["--cert-file", tlsPath("certificate.pem"), "--key-file", tlsPath("key.pem")] : [],
      // Few rounds of bcrypt: a login takes 1 ms and not 70.
      auth ? ["--bcrypt-cost", "4", "--auth-token-ttl", `${auth.tokenSeconds ?? 300}`] : [],
      flags,
    ].flat();
    const through = syncDelay === undefined ? undefined : slowSyncs(syncDelay);
    const process = new BackingProcess({
      program: "etcd",
      args,
      through,
      ready: "serving client traffic",
    });
    return { port, folder: data, process };
  });
}

/** strace as a process beside the one that it slows down. */
function slowSyncs(milliseconds: number): string[] {
  const inject = `inject=fdatasync:delay_enter=${milliseconds * 1_000}`;
  return [
    "strace",
    "-D",
    "-f",
    "--seccomp-bpf",
    "-o",
    "/dev/null",
    "-e",
    "trace=fdatasync",
    "-e",
    inject,
  ];
}

class EtcdCluster {
  readonly members: readonly EtcdMember[];
  readonly #options: EtcdOptions;
  /** Kills all members and removes their data. */
  readonly dispose: () => Promise<void>;
  #prefixes = 0;

  constructor(members: readonly EtcdMember[], options: EtcdOptions, dispose: () => Promise<void>) {
    this.members = members;
    this.#options = options;
    this.dispose = dispose;
  }

  get #certificates(): Certificates {
    const { tls, auth } = this.#options;
    return { ...(tls && { ca: TLS.cert }), ...(tls && !auth && CLIENT) };
  }

  /** A prefix that no other test uses. */
  newPrefix(): string {
    this.#prefixes++;
    return `${TESTS}/${this.#prefixes}`;
  }

  /** @param ports of the members, or of proxies to them */
  storeUrl(prefix = this.newPrefix(), ports = this.members.map(({ port }) => port)): string {
    const scheme = this.#options.tls ? "etcds" : "etcd";
    return `${scheme}://${ports.map((port) => `127.0.0.1:${port}`).join(",")}${prefix}`;
  }

  /** The store at a URL, with the certificates and the user that this cluster asks for. */
  access(url = this.storeUrl()): EtcdConnection {
    return {
      address: parseStoreUrl(url, "the URL"),
      ...this.#certificates,
      ...(this.#options.auth && { user: USER.name, password: USER.password }),
    };
  }

  /** The leader, waiting up to 10 s until there is one. Members that are paused are not asked. */
  async leader(): Promise<EtcdMember> {
    const end = performance.now() + 10_000;
    while (performance.now() < end) {
      for (const member of this.members.filter(({ process }) => process.answers)) {
        const status = await this.#post(member, "maintenance/status", {}).catch(() => undefined);
        const id = (status?.["header"] as Json | undefined)?.["member_id"];
        if (id !== undefined && status?.["leader"] === id) return member;
      }
    }
    throw new Error("no leader within 10 s");
  }

  /**
   * Discards the history before a revision, by default before the newest: a client that still needs
   * it gets an error.
   */
  async compact(revision?: string): Promise<void> {
    const newest = async () => (await this.call("kv/range", { key: "AA==" }))["header"] as Json;
    await this.call("kv/compaction", {
      revision: revision ?? (await newest())["revision"],
      physical: true,
    });
  }

  /** Calls `/v3/PATH` of a member, as root if there are users. @throws if it is refused */
  async call(path: string, body: Json): Promise<Json> {
    const member = this.members.find(({ process }) => process.answers);
    if (!member) throw new Error("no member runs");
    if (!this.#options.auth) return this.#post(member, path, body);
    const { token } = await this.#post(member, "auth/authenticate", ROOT);
    return this.#post(member, path, body, { authorization: token as string });
  }

  /**
   * The same of the first member without a login.
   *
   * @param tls in place of the certificates that it asks for
   */
  async callAsNobody(path: string, body: Json, tls?: Certificates): Promise<Json> {
    return this.#post(this.members[0] as EtcdMember, path, body, {}, tls);
  }

  async #post(
    { port }: EtcdMember,
    path: string,
    body: Json,
    headers: Record<string, string> = {},
    tls = this.#certificates,
  ): Promise<Json> {
    const options: RequestOptions = {
      ...{ host: "127.0.0.1", port, path: `/v3/${path}`, method: "POST", headers, agent: false },
      signal: AbortSignal.timeout(5_000),
    };
    const req = this.#options.tls ? requestHttps({ ...options, ...tls }) : requestHttp(options);
    req.end(JSON.stringify(body));
    const [res] = await once(req, "response");
    const answer = (await json(res)) as Json;
    if (res.statusCode !== 200) throw new Error(`${path}: ${answer["error"]}`);
    return answer;
  }
}

export type { EtcdCluster };

async function requireLogin(etcd: EtcdCluster): Promise<void> {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  await etcd.callAsNobody("auth/role/add", { name: "root" });
  await etcd.callAsNobody("auth/role/add", { name: "tests" });
  const perm = { permType: "READWRITE", key: base64(`${TESTS}/`), range_end: base64(`${TESTS}0`) };
  await etcd.callAsNobody("auth/role/grant", { name: "tests", perm });
  for (const [user, role] of [
    [ROOT, "root"],
    [USER, "tests"],
  ] as const) {
    await etcd.callAsNobody("auth/user/add", user);
    await etcd.callAsNobody("auth/user/grant", { user: user.name, role });
  }
  await etcd.callAsNobody("auth/enable", {});
}
