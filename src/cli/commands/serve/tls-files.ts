import { setTimeout as delay } from "node:timers/promises";
import { readRegularFile } from "../../../kit/files/open-file.js";
import { toInvalidData } from "../../../kit/files/system-errors.js";
import { type FileWatch, watchFile } from "../../../kit/files/watch-file.js";
import { UsageError } from "../../../kit/text/errors.js";
import { checkTlsCredentials, type TlsCredentials } from "../../../server/wire/tls.js";
import type { Log } from "./log.js";

/** The paths that the flags of `serve` name. */
export interface TlsPaths {
  cert: string;
  key: string;
  clientCa?: string | undefined;
}

const FLAGS = { cert: "--tls-cert", key: "--tls-key", clientCa: "--tls-client-ca" } as const;
/** Much more than any bundle of certificates. */
const MAX_BYTES = 10 * 1_024 * 1_024;
/** The files of a pair are replaced one after the other. */
const SETTLE_MS = 1_000;

/** The certificate and the key of a server, which are reloaded when a file changes. */
export class TlsFiles {
  readonly #paths: TlsPaths;
  readonly #log: Log;
  readonly #check: (path: string) => void;
  #current: TlsCredentials;
  #watches: FileWatch[] = [];
  #renew: (tls: TlsCredentials) => Promise<void> = async () => {};
  #problem: string | undefined;
  readonly #closed = new AbortController();
  #isAskedToRead = false;
  #reading = Promise.resolve(true);

  private constructor(
    paths: TlsPaths,
    log: Log,
    check: (path: string) => void,
    current: TlsCredentials,
  ) {
    this.#paths = paths;
    this.#log = log;
    this.#check = check;
    this.#current = current;
  }

  /**
   * @param check called with each path before it is read; to refuse it, it throws an
   *   InvalidDataError with a predicate as its message
   *
   * @throws UsageError that names the flag and the file
   */
  static async open(paths: TlsPaths, log: Log, check: (path: string) => void): Promise<TlsFiles> {
    return new TlsFiles(paths, log, check, await readTls(paths, check));
  }

  get current(): TlsCredentials {
    return this.#current;
  }

  /** Calls `renew` with credentials that differ from the ones before, and after `readAgain`. */
  async follow(renew: (tls: TlsCredentials) => Promise<void>): Promise<void> {
    this.#renew = renew;
    const watched = Object.values(this.#paths).filter((path) => path !== undefined);
    this.#watches = await Promise.all(watched.map((path) => watchFile(path, () => this.#reload())));
    // Changes before they were watched.
    await this.#reload();
  }

  /** Reads the files soon, whether they have changed or not. */
  readAgain(): void {
    this.#isAskedToRead = true;
    this.#watches[0]?.readAgain();
  }

  close(): void {
    this.#closed.abort();
    for (const watch of this.#watches) watch.stop();
  }

  /**
   * Resolves to whether the files can be used. Of several files that change at a time, one is read
   * after the other.
   */
  #reload(): Promise<boolean> {
    this.#reading = this.#reading.then(() => this.#readOnce());
    return this.#reading;
  }

  async #readOnce(): Promise<boolean> {
    const isAsked = this.#isAskedToRead;
    this.#isAskedToRead = false;
    let found = await this.#tryRead();
    if (typeof found === "string" && !this.#problem) {
      await delay(SETTLE_MS, undefined, { signal: this.#closed.signal }).catch(() => {});
      found = await this.#tryRead();
    }
    if (this.#closed.signal.aborted) return true;
    const before = this.#problem;
    this.#problem = typeof found === "string" ? found : undefined;
    if (typeof found === "string") {
      if (isAsked || found !== before)
        this.#log("error", `${found}; the certificate is not renewed`);
      return false;
    }
    const isNew = isAsked || before !== undefined || !isSame(found, this.#current);
    this.#current = found;
    if (isNew) await this.#use(found);
    return true;
  }

  /** Resolves to the credentials, or to why there are none. */
  #tryRead(): Promise<TlsCredentials | string> {
    return readTls(this.#paths, this.#check).catch((error: Error) => error.message);
  }

  async #use(tls: TlsCredentials): Promise<void> {
    try {
      await this.#renew(tls);
      this.#log("info", "reloaded the TLS files: new connections use them");
    } catch (error) {
      this.#log("error", String(error));
    }
  }
}

async function readTls(paths: TlsPaths, check: (path: string) => void): Promise<TlsCredentials> {
  const read = async (name: keyof typeof FLAGS, path: string) => {
    try {
      check(path);
      return (await readRegularFile(path, MAX_BYTES)).bytes.toString();
    } catch (error) {
      throw new UsageError(
        `${FLAGS[name]} ${path} ${toInvalidData(error, "can't be read").message}`,
      );
    }
  };
  const { clientCa } = paths;
  const tls = {
    cert: await read("cert", paths.cert),
    key: await read("key", paths.key),
    clientCa: clientCa === undefined ? undefined : await read("clientCa", clientCa),
  };
  const nameOf = (name: keyof typeof FLAGS) => `${FLAGS[name]} ${paths[name]}`;
  checkTlsCredentials(tls, {
    cert: nameOf("cert"),
    key: nameOf("key"),
    clientCa: nameOf("clientCa"),
  });
  return tls;
}

function isSame(one: TlsCredentials, other: TlsCredentials): boolean {
  return one.cert === other.cert && one.key === other.key && one.clientCa === other.clientCa;
}
