import { afterAll, beforeAll, onTestFinished, TestRunner } from "vitest";
import { BackingProcess, onFreePorts } from "./backing-process.js";
import { tlsPath } from "./tls.js";

export interface RedisOptions {
  readonly password?: string;
  /** Clients connect with TLS; the certificate is that of `TLS` in tls.ts. */
  readonly tls?: boolean;
}

export interface Redis {
  /** Without the password. */
  readonly url: string;
  readonly port: number;
  /** It keeps nothing when it is started again. */
  readonly process: BackingProcess;
  dispose(): Promise<void>;
}

/**
 * A Redis that keeps nothing on disk. Stopped when the current test ends, if it is called in one.
 */
export function startRedis({ password, tls = false }: RedisOptions = {}): Promise<Redis> {
  return onFreePorts(1, async ([port = 0]) => {
    // By stdin, so that the process list doesn't show the password.
    const config = [
      `bind 127.0.0.1\nsave ""\nappendonly no\ndaemonize no`,
      tls
        ? `port 0\ntls-port ${port}\ntls-auth-clients no\ntls-ca-cert-file ${tlsPath("certificate.pem")}`
        : `port ${port}`,
      tls ? `tls-cert-file ${tlsPath("certificate.pem")}\ntls-key-file ${tlsPath("key.pem")}` : "",
      password === undefined ? "" : `requirepass ${password}`,
    ].join("\n");
    const ready = "Ready to accept connections";
    const process = new BackingProcess({
      program: "redis-server",
      args: ["-"],
      ready,
      input: `${config}\n`,
    });
    const redis = {
      ...{ url: `${tls ? "rediss" : "redis"}://127.0.0.1:${port}`, port, process },
      dispose: () => process.kill(),
    };
    if (TestRunner.getCurrentTest()) onTestFinished(() => redis.dispose());
    await process.start();
    return redis;
  });
}

/** One Redis for all tests of a file or a `describe`. */
export function sharedRedis(options: RedisOptions = {}): () => Redis {
  let redis: Redis | undefined;
  beforeAll(async () => {
    redis = await startRedis(options);
  });
  afterAll(() => redis?.dispose());
  return () => {
    if (!redis) throw new Error("called before the tests");
    return redis;
  };
}
