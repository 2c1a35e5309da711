import type { Stats } from "node:fs";
import { promisify } from "node:util";
import type { Random } from "./random.js";

/** Paths that begin with this are on the simulated disk, in one folder, apart from locks. */
export const SIMULATED = "/simulated/";

interface File {
  readonly ino: bigint;
  readonly isFolder: boolean;
  content: Buffer;
  /** What a power cut leaves at least. */
  synced: Buffer;
  changedAt: bigint;
}

/** The folder at some time. */
interface Names {
  readonly files: ReadonlyMap<string, File>;
  /** How many files were moved to the data file's name before. */
  readonly version: number;
}

/**
 * Called before a call, with its number since the last start. It may change the disk, or return
 * "kill".
 */
export type OnCall = (call: { number: number; name: string; path: string }) => "kill" | undefined;

/**
 * A disk for one process in this one, whose calls are those that a data file and its history need.
 * It keeps what was synced, and after a power cut any part of the rest: a folder as it was at any
 * moment since it was synced, and files whose new end is missing, cut off or partly zero.
 */
export class SimulatedDisk {
  #folder: Names = { files: new Map(), version: 0 };
  /** The folder since it was synced, oldest first. */
  #unsynced: Names[] = [];
  #calls = 0;
  #isKilled = false;
  onCall: OnCall = () => undefined;
  /**
   * Nanoseconds. The clock stands still unless it is told to tick, as those of file systems do for
   * milliseconds.
   */
  #now = 1_700_000_000_000_000_000n;
  readonly #dataPath: string;

  constructor(dataPath: string) {
    this.#dataPath = dataPath;
  }

  tick(): void {
    this.#now += 4_000_000n;
  }

  get version(): number {
    return this.#folder.version;
  }

  get names(): string[] {
    return [...this.#folder.files.keys()];
  }

  read(path: string): Buffer {
    return this.#find(path).content;
  }

  /** What another program does, durably: `cp` in place, or `mv`. */
  change(path: string, content: Buffer, isMoved: boolean): void {
    const old = this.#folder.files.get(path);
    const file = old && !isMoved ? old : this.#newFile(false);
    Object.assign(file, { content, synced: content, changedAt: this.#now });
    if (file === old) return;
    this.#setNames((files) => files.set(path, file));
    this.#unsynced = [];
  }

  /** Begins a process. The last one has ended, and so have its locks. */
  async restart(): Promise<void> {
    this.#isKilled = true;
    await new Promise(setImmediate);
    this.#isKilled = false;
    this.#calls = 0;
    const left = this.names.filter((name) => name.includes(".lock"));
    if (left.length === 0) return;
    this.#setNames((files) => {
      for (const name of left) files.delete(name);
    });
  }

  cutPower(random: Random): void {
    this.#folder = random.pick([...this.#unsynced, this.#folder]);
    this.#unsynced = [];
    for (const file of this.#folder.files.values()) {
      const { content, synced } = file;
      const isAppended = content.subarray(0, synced.length).equals(synced);
      const rest = Buffer.from(content.subarray(isAppended ? synced.length : 0));
      const part = rest.subarray(0, random.below(rest.length + 1));
      if (random.below(3) === 0) part.fill(0, random.below(part.length + 1));
      if (random.below(3) === 0) part.fill(0, 0, random.below(part.length + 1));
      file.content = Buffer.concat([isAppended ? synced : Buffer.of(), part]);
      file.synced = file.content;
    }
  }

  #newFile(isFolder: boolean): File {
    const used = new Set([...this.#folder.files.values()].map(({ ino }) => ino));
    let ino = 1n;
    // File systems give a number again.
    while (used.has(ino)) ino++;
    return { ino, isFolder, content: Buffer.of(), synced: Buffer.of(), changedAt: this.#now };
  }

  #setNames(change: (files: Map<string, File>) => unknown, isNewData = false): void {
    const files = new Map(this.#folder.files);
    change(files);
    this.#unsynced.push(this.#folder);
    this.#folder = { files, version: this.#folder.version + (isNewData ? 1 : 0) };
  }

  #find(path: string): File {
    const file = this.#folder.files.get(path);
    if (!file) throw failure("ENOENT", path);
    return file;
  }

  /** Runs a call, unless the process is killed before it. */
  async call<T>(name: string, path: string, work: () => T): Promise<T> {
    if (!this.#isKilled)
      this.#isKilled = this.onCall({ number: ++this.#calls, name, path }) === "kill";
    return this.#isKilled ? new Promise<never>(() => {}) : work();
  }

  stats(file: File): Stats {
    const { ino, isFolder, content, changedAt } = file;
    const ms = Number(changedAt / 1_000_000n);
    const kind = {
      isFile: () => !isFolder,
      isDirectory: () => isFolder,
      isSymbolicLink: () => false,
    };
    const times = { mtimeNs: changedAt, ctimeNs: changedAt, mtimeMs: ms, mtime: new Date(ms) };
    const size = content.length;
    return {
      ...kind,
      ...times,
      ino,
      size,
      mode: 0o100600,
      uid: 0,
      gid: 0,
      nlink: 1,
    } as unknown as Stats;
  }

  open(path: string, flags: string | number): OpenFile {
    if (`${path}/` === SIMULATED) return new OpenFile(this, path, undefined);
    if (flags === "wx") this.#create(path, false);
    return new OpenFile(this, path, this.#find(path));
  }

  #create(path: string, isFolder: boolean): void {
    if (this.#folder.files.has(path)) throw failure("EEXIST", path);
    this.#setNames((files) => files.set(path, this.#newFile(isFolder)));
  }

  syncFolder(): void {
    this.#unsynced = [];
  }

  append(file: File, bytes: string | Uint8Array): void {
    file.content = Buffer.concat([file.content, Buffer.from(bytes as Uint8Array)]);
    file.changedAt = this.#now;
  }

  #within(path: string): string[] {
    return this.names.filter((name) => name.startsWith(`${path}/`));
  }

  #remove(path: string): void {
    this.#find(path);
    if (this.#within(path).length > 0) throw failure("ENOTEMPTY", path);
    this.#setNames((files) => files.delete(path));
  }

  /** The functions of `node:fs/promises`. */
  readonly calls = {
    realpath: (path: string) => this.call("realpath", path, () => path),
    stat: (path: string) => this.call("stat", path, () => this.stats(this.#find(path))),
    lstat: (path: string) => this.call("lstat", path, () => this.stats(this.#find(path))),
    mkdir: (path: string) => this.call("mkdir", path, () => this.#create(path, true)),
    writeFile: (path: string) => this.call("writeFile", path, () => this.#create(path, false)),
    appendFile: async (path: string, text: string, { flush }: { flush?: boolean }) => {
      const file = await this.call("open", path, () => this.open(path, "a"));
      await file.writeFile(text);
      if (flush) await file.sync();
      await file.close();
    },
    unlink: (path: string) => this.call("unlink", path, () => this.#remove(path)),
    rmdir: (path: string) => this.call("rmdir", path, () => this.#remove(path)),
    open: (path: string, flags: string | number) =>
      this.call("open", path, () => this.open(path, flags)),
    readdir: (path: string) =>
      this.call("readdir", path, () => {
        const start = path.length + 1;
        const names = `${path}/` === SIMULATED ? this.names : this.#within(path);
        return names.map((name) => name.slice(start)).filter((name) => !name.includes("/"));
      }),
    rename: (from: string, to: string) => this.call("rename", to, () => this.#rename(from, to)),
  };

  /** Those of `node:fs` that are not waited for: nothing comes between them. */
  readonly syncCalls = {
    renameSync: (from: string, to: string) => this.#rename(from, to),
    statSync: (path: string) => this.stats(this.#find(path)),
  };

  #rename(from: string, to: string): void {
    const file = this.#find(from);
    if (file.isFolder && this.#within(to).length > 0) throw failure("ENOTEMPTY", to);
    const inside = this.#within(from).map((name) => [name, this.#find(name)] as const);
    this.#setNames((files) => {
      for (const [name, each] of [[from, file] as const, ...inside]) {
        files.delete(name);
        files.set(to + name.slice(from.length), each);
      }
    }, to === this.#dataPath);
  }
}

/** A `FileHandle`. */
class OpenFile {
  readonly #disk: SimulatedDisk;
  readonly #path: string;
  readonly #file: File | undefined;
  #position = 0;

  constructor(disk: SimulatedDisk, path: string, file: File | undefined) {
    this.#disk = disk;
    this.#path = path;
    this.#file = file;
  }

  #call<T>(name: string, work: (file: File) => T): Promise<T> {
    return this.#disk.call(name, this.#path, () => work(this.#file as File));
  }

  stat = () => this.#call("stat", (file) => this.#disk.stats(file));
  writeFile = (bytes: string | Uint8Array) =>
    this.#call("write", (file) => this.#disk.append(file, bytes));
  close = () => this.#call("close", () => {});
  sync = () =>
    this.#call("sync", (file) => {
      if (!file) return this.#disk.syncFolder();
      file.synced = file.content;
    });
  read = (buffer: Buffer, offset: number, length: number, position: number | null) =>
    this.#call("read", ({ content }) => {
      const start = position ?? this.#position;
      const bytesRead = content.copy(buffer, offset, start, start + length);
      this.#position = start + bytesRead;
      return { bytesRead, buffer };
    });
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, syscall: "simulated" });
}

/** The disk that calls about {@link SIMULATED} paths are made on. */
export const simulated: { disk: SimulatedDisk | undefined } = { disk: undefined };

/** The factory for `vi.mock("node:fs/promises", …)`. */
export async function simulatedPromises(load: () => Promise<unknown>) {
  const real = (await load()) as Record<string, (...args: unknown[]) => unknown>;
  const names = Object.keys(new SimulatedDisk("").calls) as (keyof SimulatedDisk["calls"])[];
  const routed = names.map((name) => [
    name,
    (...args: unknown[]) => {
      const calls = simulated.disk?.calls as unknown as typeof real;
      return (isSimulated(args[0]) ? calls : real)[name]?.(...args);
    },
  ]);
  return { ...real, ...Object.fromEntries(routed) };
}

const DESCRIPTORS = 1_000_000;
const opened: OpenFile[] = [];

/** The factory for `vi.mock("node:fs", …)`: what is used to read a file. */
export async function simulatedFs(load: () => Promise<unknown>) {
  const real = (await load()) as typeof import("node:fs");
  const file = (descriptor: number) => opened[descriptor - DESCRIPTORS] as OpenFile;
  const open = async (path: string, flags: number) =>
    isSimulated(path) && simulated.disk
      ? simulated.disk.call(
          "open",
          path,
          () => DESCRIPTORS + opened.push(simulated.disk?.open(path, flags) as OpenFile) - 1,
        )
      : promisify(real.open)(path, flags);
  const fstat = (descriptor: number) =>
    descriptor < DESCRIPTORS ? promisify(real.fstat)(descriptor) : file(descriptor).stat();
  const read = (descriptor: number, ...args: [Buffer, number, number, null]) =>
    descriptor < DESCRIPTORS
      ? promisify(real.read)(descriptor, ...args)
      : file(descriptor).read(...args);
  const renameSync = (from: string, to: string) =>
    (isSimulated(to) && simulated.disk ? simulated.disk.syncCalls : real).renameSync(from, to);
  const statSync = (path: string, ...options: []) =>
    isSimulated(path) && simulated.disk
      ? simulated.disk.syncCalls.statSync(path)
      : real.statSync(path, ...options);
  const closeSync = (descriptor: number) =>
    descriptor < DESCRIPTORS ? real.closeSync(descriptor) : undefined;
  return {
    ...real,
    open: promised(open),
    fstat: promised(fstat),
    read: promised(read),
    closeSync,
    renameSync,
    statSync,
  };
}

/** A function that `promisify` turns into this one. */
function promised<T extends (...args: never[]) => Promise<unknown>>(work: T) {
  return Object.assign(() => {}, { [promisify.custom]: work });
}

function isSimulated(path: unknown): boolean {
  return typeof path === "string" && `${path}/`.startsWith(SIMULATED);
}
