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
/** The time in which a certificate and its key are replaced, one after the other. */
const SETTLE_MS = 1_000;

/** Refuses to read a path: throws an InvalidDataError with a predicate as its message. */
type CheckPath = (path: string) => void;

interface TlsWatchOptions {
  paths: TlsPaths;
  check: CheckPath;
  /** Uses credentials that differ from the ones before. */
  renew: (tls: TlsCredentials) => Promise<void>;
  log: Log;
}

/** Renews a server's certificate when its files change. */
export class TlsWatch {
  readonly #options: TlsWatchOptions;
  #watches: FileWatch[] = [];
  /** The credentials in use or the failure that was logged, as text. */
  #outcome: string;
  #failedAt: number | undefined;
  #reading = Promise.resolve(true);

  /** @param current the credentials that the server was started with */
  constructor(current: TlsCredentials, options: TlsWatchOptions) {
    this.#outcome = JSON.stringify(current);
    this.#options = options;
  }

  async start(): Promise<void> {
    const paths = Object.values(this.#options.paths).filter((path) => path !== undefined);
    this.#watches = await Promise.all(paths.map((path) => watchFile(path, () => this.#reload())));
    // The files may have changed before they were watched.
    await this.#reload();
  }

  /** Reads the files soon, and logs the result even if nothing has changed. */
  readAgain(): void {
    this.#outcome = "";
    this.#watches[0]?.readAgain();
  }

  close(): void {
    for (const watch of this.#watches) watch.stop();
  }

  /** Resolves to whether the files can be used. Several changes are read one after the other. */
  #reload(): Promise<boolean> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<boolean> {
    const { paths, check, renew, log } = this.#options;
    try {
      const tls = await readTls(paths, check);
      const text = JSON.stringify(tls);
      this.#failedAt = undefined;
      if (text === this.#outcome) return true;
      await renew(tls);
      this.#outcome = text;
      log("info", "reloaded the TLS files: new connections use them");
      return true;
    } catch (error) {
      this.#fail((error as Error).message);
      return false;
    }
  }

  /** The watch tries again every second until the files can be used. */
  #fail(reason: string): void {
    this.#failedAt ??= performance.now();
    if (performance.now() - this.#failedAt < SETTLE_MS || reason === this.#outcome) return;
    this.#outcome = reason;
    this.#options.log("error", `${reason}; the certificate is not renewed`);
  }
}

/** Reads the files of a certificate. @throws UsageError that names the flag and the file */
export async function readTls(paths: TlsPaths, check: CheckPath): Promise<TlsCredentials> {
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
  checkTlsCredentials(tls, {
    cert: `${FLAGS.cert} ${paths.cert}`,
    key: `${FLAGS.key} ${paths.key}`,
    clientCa: `${FLAGS.clientCa} ${clientCa}`,
  });
  return tls;
}
