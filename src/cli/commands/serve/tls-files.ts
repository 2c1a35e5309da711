import { looseModeWarning } from "../../../kit/files/owners.js";
import { readRegularFile } from "../../../kit/files/read-file.js";
import { toInvalidData } from "../../../kit/files/system-errors.js";
import { type FileWatch, watchFile } from "../../../kit/files/watch-file.js";
import { UsageError } from "../../../kit/text/errors.js";
import type { RunningServer } from "../../../server/start-server.js";
import { checkTlsCredentials, type TlsCredentials } from "../../../server/wire/tls.js";
import { checkFileRisk, requireReloadable } from "../../../tasks/files/safe-files.js";
import type { Surroundings } from "../../../tasks/surroundings.js";
import type { Log } from "./serve-log.js";

export interface TlsPaths {
  cert: string;
  key: string;
  clientCa?: string | undefined;
}

/** The largest file, far larger than any bundle of certificates. */
const MAX_BYTES = 10 * 1_024 * 1_024;
/**
 * The time in which a certificate and its key are replaced, one after the
 * other.
 */
const SETTLE_MS = 1_000;

/** The files of a server's certificate, which is renewed when they change. */
export class TlsFiles {
  readonly #paths: TlsPaths;
  readonly #surroundings: Surroundings;
  readonly #log: Log;
  #watches: FileWatch[] = [];
  /** The credentials in use or the failure that was logged, as text. */
  #outcome = "";
  #failedAt: number | undefined;
  #reading = Promise.resolve(true);

  constructor(paths: TlsPaths, surroundings: Surroundings, log: Log) {
    this.#paths = paths;
    this.#surroundings = surroundings;
    this.#log = log;
  }

  async open(): Promise<TlsCredentials> {
    const unsafe = this.#files().map((path) => checkFileRisk(path, this.#surroundings));
    for (const warning of [...unsafe, looseModeWarning(this.#paths.key)])
      if (warning) this.#log("warn", warning);
    const tls = await this.#read();
    this.#outcome = JSON.stringify(tls);
    return tls;
  }

  /** @param renew uses credentials that differ from the ones before */
  async follow(renew: RunningServer["renewTls"]): Promise<void> {
    // Several changes are read one after the other.
    const reload = () => {
      this.#reading = this.#reading.then(() => this.#readChanged(renew));
      return this.#reading;
    };
    this.#watches = await Promise.all(this.#files().map((path) => watchFile(path, reload)));
    // The files may have changed before they were watched.
    await reload();
  }

  /** Reads the files soon, and logs the result even if nothing has changed. */
  reload(): void {
    this.#outcome = "";
    this.#watches[0]?.reload();
  }

  close(): void {
    for (const watch of this.#watches) watch.stop();
  }

  #files(): string[] {
    return Object.values(this.#paths).filter((path) => path !== undefined);
  }

  /** @throws UsageError that names the flag and the file */
  async #read(): Promise<TlsCredentials> {
    const read = async (flag: string, path: string) => {
      try {
        requireReloadable(path, this.#surroundings);
        return (await readRegularFile(path, MAX_BYTES)).bytes.toString();
      } catch (error) {
        throw new UsageError(`${flag} ${path} ${toInvalidData(error, "can't be read").message}`);
      }
    };
    const { cert, key, clientCa } = this.#paths;
    const tls = {
      cert: await read("--tls-cert", cert),
      key: await read("--tls-key", key),
      clientCa: clientCa === undefined ? undefined : await read("--tls-client-ca", clientCa),
    };
    checkTlsCredentials(tls, {
      cert: `--tls-cert ${cert}`,
      key: `--tls-key ${key}`,
      clientCa: `--tls-client-ca ${clientCa}`,
    });
    return tls;
  }

  /** Resolves to whether the files can be used. */
  async #readChanged(renew: RunningServer["renewTls"]): Promise<boolean> {
    try {
      const tls = await this.#read();
      const text = JSON.stringify(tls);
      this.#failedAt = undefined;
      if (text === this.#outcome) return true;
      await renew(tls);
      this.#outcome = text;
      this.#log("info", "reloaded the TLS files: new connections use them");
      return true;
    } catch (error) {
      this.#fail((error as Error).message);
      return false;
    }
  }

  /** The watch tries again every second until the files can be used. */
  #fail(reason: string): void {
    const now = this.#surroundings.ticks();
    this.#failedAt ??= now;
    if (now - this.#failedAt < SETTLE_MS || reason === this.#outcome) return;
    this.#outcome = reason;
    this.#log("error", `${reason}; the certificate is not renewed`);
  }
}
