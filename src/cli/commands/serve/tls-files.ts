import { setTimeout as delay } from "node:timers/promises";
import { readRegularFile } from "../../../kit/files/open-file.js";
import { toInvalidData } from "../../../kit/files/system-errors.js";
import { type FileWatch, watchFile } from "../../../kit/files/watch-file.js";
import { UsageError } from "../../../kit/text/errors.js";
import { checkTlsCredentials, type TlsCredentials } from "../../../server/wire/tls.js";

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

interface TlsFilesOptions {
  /**
   * Called with each path before it is read. To refuse it, throw an InvalidDataError with a
   * predicate as its message.
   */
  check: (path: string) => void;
  /** Called with credentials that differ from the ones before, and after `readAgain`. */
  onRenewed: (tls: TlsCredentials) => void;
  /** Called when the files can't be used, once for each problem. */
  onProblem: (message: string) => void;
}

/** The certificate and the key of a server, which are reloaded when a file changes. */
export class TlsFiles {
  readonly #paths: TlsPaths;
  readonly #options: TlsFilesOptions;
  #watches: FileWatch[] = [];
  #current: TlsCredentials;
  #problem: string | undefined;
  readonly #closed = new AbortController();
  #isAskedToRead = false;
  #reading = Promise.resolve(true);

  private constructor(paths: TlsPaths, options: TlsFilesOptions, current: TlsCredentials) {
    this.#paths = paths;
    this.#options = options;
    this.#current = current;
  }

  /** @throws UsageError that names the flag and the file */
  static async open(paths: TlsPaths, options: TlsFilesOptions): Promise<TlsFiles> {
    const files = new TlsFiles(paths, options, await readTls(paths, options.check));
    const watched = Object.values(paths).filter((path) => path !== undefined);
    files.#watches = await Promise.all(
      watched.map((path) => watchFile(path, () => files.#reload())),
    );
    // Changes before they were watched.
    await files.#reload();
    return files;
  }

  get current(): TlsCredentials {
    return this.#current;
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
    if (typeof found === "string") {
      if (isAsked || found !== this.#problem) this.#options.onProblem(found);
      this.#problem = found;
      return false;
    }
    const isNew = isAsked || this.#problem !== undefined || !isSame(found, this.#current);
    this.#problem = undefined;
    this.#current = found;
    if (isNew) this.#options.onRenewed(found);
    return true;
  }

  /** Resolves to the credentials, or to why there are none. */
  #tryRead(): Promise<TlsCredentials | string> {
    return readTls(this.#paths, this.#options.check).catch((error: Error) => error.message);
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
