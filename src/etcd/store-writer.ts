import { setTimeout as delay } from "node:timers/promises";
import { InvalidDataError, UnauthorizedError, UnreachableError } from "../kit/text/errors.js";
import { durationText } from "../kit/text/printable.js";
import type { Data } from "../store/data.js";
import { applyChange } from "../store/edits/apply-change.js";
import { dataPieces } from "../store/file/data-file.js";
import type { Author } from "../store/history.js";
import { changesBetween, type RecordChange, sortedById } from "../store/record-changes.js";
import { checkData } from "../store/schema/parse-data.js";
import type { ChangeData, UpdateOptions } from "../store/store.js";
import { type CheckTrace, type Condition, type Put, UncertainError } from "./gateway.js";
import {
  type Entry,
  FORMAT,
  type Head,
  KEYS,
  logKey,
  MAX_ENTRY_BYTES,
  newId,
  parseHead,
} from "./log.js";
import { ENTRY_COST, type ReadTarget, readHead, type StoreState } from "./read-store.js";
import { changeLines } from "./stored-changes.js";
import {
  type Claim,
  claim,
  keysOf,
  LostUploadError,
  listUploads,
  openKey,
  SNAPSHOT,
  type Upload,
  upload,
} from "./uploads.js";

/**
 * A snapshot is made when the log after the last one is longer than this, and than a quarter of the
 * data.
 */
const MIN_LOG_BYTES = 512 * 1_024;
/** Entries that are kept. */
const HISTORY = 10_000;
/** Writes between two removals of parts and entries that are not needed. */
const TIDY_EVERY = 100;
/**
 * The longest random pause before the next attempt of a writer that was too slow. It doubles each
 * time.
 */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [10, 300];
/** A writer takes the turn after others were faster for this long. */
const TURN_AFTER_MS = 2_000;
const TURN_LEASE_MS = 5_000;

interface WriterOptions {
  readonly target: ReadTarget;
  readonly url: string;
  readonly author: Author;
  /** Unix time in milliseconds. */
  readonly clock: () => number;
  /** The state that was read last. */
  readonly known: StoreState | undefined;
  /** Reads the newest state. */
  readonly read: () => Promise<StoreState>;
  /**
   * Takes the state after a write.
   *
   * @param startedAt when its last attempt began: other writes may be newer
   */
  readonly show: (state: StoreState, before: StoreState, startedAt: number) => void;
}

/**
 * The data after a change, and the changes; undefined if there are none.
 *
 * @throws as `applyChange`
 */
async function plan(data: Data, change: ChangeData, options: UpdateOptions, isNewest: boolean) {
  try {
    const next = await applyChange(data, change, options);
    if (next === data) return undefined;
    const changes = changesBetween(data, next);
    return changes.length === 0 ? undefined : { next, changes };
  } catch (error) {
    if (isNewest) throw error;
    return undefined;
  }
}

/** A head that replaces another. */
interface NextHead {
  readonly head: Head;
  /** The one before, as it is in etcd; undefined if there must be none. */
  readonly after: Buffer | undefined;
  /** An entry that comes with it. */
  readonly entry?: Entry;
  /** The parts of the entry, or of a snapshot, which count from then on. */
  readonly uploaded?: Upload | undefined;
}

/** Makes one write to a store, once, despite failed requests and other writers. */
export class StoreWriter {
  readonly #options: WriterOptions;
  readonly #target: ReadTarget;
  /** Parts of an entry that another writer was faster than: the next attempt may need the same. */
  #uploaded: { readonly upload: Upload; readonly bytes: Buffer } | undefined;
  /** The key `turn`, if this writer has it: all others wait. */
  #turn: Claim | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#target = options.target;
  }

  /**
   * Changes the data as others have changed it.
   *
   * @throws errors of `change`; InvalidDataError; UnreachableError that tells if it is unknown
   *   whether it was made;
   *   otherwise it was not
   */
  async update(change: ChangeData, options: UpdateOptions): Promise<void> {
    let { known } = this.#options;
    let startedAt = 0;
    const { before, after } = await this.#untilMade(async () => {
      startedAt = performance.now();
      // The known state is usually the newest. If not, the transaction fails: errors count only for
      // the newest state.
      const [state, isNewest] = [known ?? (await this.#options.read()), !known];
      known = undefined;
      const planned = await plan(state.data, change, options, isNewest);
      if (!planned) return isNewest ? { before: state, after: state } : undefined;
      const written = await this.#append(state, planned.next, planned.changes);
      return written && { before: state, after: written };
    });
    if (after === before) return;
    this.#options.show(after, before, startedAt);
    await this.#tidy(after, before).catch(() => {});
  }

  /**
   * Repeats an attempt while other writers are faster.
   *
   * @param attempt resolves to undefined if one was
   */
  async #untilMade<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    const { gateway, signal } = this.#target;
    let lostSince: number | undefined;
    try {
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
        const made = await attempt();
        if (made) return made;
        lostSince ??= performance.now();
        const lost = performance.now() - lostSince;
        if (lost > gateway.times.write)
          throw new UnreachableError(
            `other writers were faster for ${durationText(lost)}; nothing was changed`,
          );
        await this.#turn?.end();
        const takesTurn = lost > TURN_AFTER_MS;
        this.#turn = takesTurn
          ? await claim(this.#target, KEYS.turn, TURN_LEASE_MS).catch(() => undefined)
          : undefined;
        if (!this.#turn) await delay(Math.random() * pause, undefined, { signal }).catch(() => {});
      }
    } finally {
      await this.#dropUpload();
      await this.#turn?.end();
    }
  }

  /** Writes the first data. @throws InvalidDataError if there is some; as `update` */
  async create(data: Data): Promise<void> {
    await this.#refuseExisting();
    const [write, first] = [newId(), sortedById(checkData(data))];
    const entry = this.#entry(write, write, [], first);
    if (await this.#writeAll(first, newId(), 1, entry)) return;
    await this.#refuseExisting();
    throw new InvalidDataError(
      `${this.#options.url} holds a log without a head: use another prefix`,
    );
  }

  /** Writes everything again, and removes the log before. @throws as `update` */
  async writeAgain(): Promise<void> {
    await this.#untilMade(async () => {
      const { head, value, data } = await this.#options.read();
      const entry = this.#entry(newId(), head.write, [], data);
      return this.#writeAll(data, head.store, head.version + 1, entry, value);
    });
    await this.prune(1);
  }

  /**
   * Removes entries, but none that is needed to read the data.
   *
   * @param entries how many to keep
   * @param isSlowReaderSafe whether to keep the snapshot before the last one, which a slow reader
   *   may have begun with
   */
  async prune(entries: number, isSlowReaderSafe = false): Promise<void> {
    const { gateway, prefix } = this.#target;
    // Before the head, which names a snapshot as soon as its upload says so.
    const uploads = await listUploads(this.#target);
    const found = await readHead(this.#target);
    if (!found) return;
    const { version, snapshot, previous = snapshot } = found.head;
    const oldest = isSlowReaderSafe ? previous : snapshot;
    const first = Math.max(1, Math.min(oldest.version, version - entries) + 1);
    const isNeeded = (write: string, owner: string) => {
      if (owner === SNAPSHOT) return [oldest.upload, snapshot.upload].includes(write);
      return /^\d{1,16}$/.test(owner) ? Number(owner) >= first : owner !== "";
    };
    // A cluster that is restored meanwhile may need what comes before a snapshot that it has not.
    const key = prefix + KEYS.uploads + oldest.upload;
    const compare = [
      { key, modRevision: (await this.#revisionOf(key)) || Number.MAX_SAFE_INTEGER },
    ];
    // The parts first: an entry names them.
    for (const [write, owner] of uploads)
      if (!isNeeded(write, owner))
        await gateway.commit({ compare, deletes: keysOf(prefix, write) });
    await gateway.commit({
      compare,
      deletes: [{ key: prefix + KEYS.log, end: prefix + logKey(first) }],
    });
  }

  #entry(write: string, previous: string, changes: Entry["changes"], { last_ids }: Data): Entry {
    const { author, clock } = this.#options;
    const time = new Date(clock()).toISOString();
    return { write, previous, time, ...author, ...(last_ids && { last_ids }), changes };
  }

  /** @returns the state afterwards; undefined if another writer was faster @throws as `update` */
  async #append(
    state: StoreState,
    next: Data,
    changes: readonly RecordChange[],
  ): Promise<StoreState | undefined> {
    const bytes = changeLines(changes);
    try {
      const uploaded =
        bytes.length > MAX_ENTRY_BYTES ? await this.#upload(state.head.store, bytes) : undefined;
      const [write, version] = [uploaded?.write ?? newId(), state.head.version + 1];
      const head = { ...state.head, version, write };
      const entry = this.#entry(write, state.head.write, uploaded?.parts ?? changes, next);
      const made = await this.#replaceHead({ head, after: state.value, entry, uploaded });
      return (
        made && {
          ...state,
          ...made,
          head,
          data: next,
          logBytes: state.logBytes + bytes.length + ENTRY_COST,
        }
      );
    } catch (error) {
      if (!(error instanceof LostUploadError)) throw error;
      await this.#dropUpload();
      return undefined;
    }
  }

  async #upload(store: string, bytes: Buffer): Promise<Upload> {
    if (!this.#uploaded?.bytes.equals(bytes)) {
      await this.#dropUpload();
      this.#uploaded = { upload: await upload(this.#target, store, newId(), bytes), bytes };
    }
    return this.#uploaded.upload;
  }

  async #dropUpload(): Promise<void> {
    await this.#uploaded?.upload.end();
    this.#uploaded = undefined;
  }

  /**
   * Writes all data as a snapshot that begins a log.
   *
   * @returns undefined if another writer was faster
   */
  async #writeAll(data: Data, store: string, version: number, entry: Entry, after?: Buffer) {
    const { snapshot, uploaded } = await this.#uploadAll(data, store, version, entry.write);
    const head: Head = { format: FORMAT, store, version, write: entry.write, snapshot };
    return this.#replaceHead({ head, after, entry, uploaded }).finally(() => uploaded.end());
  }

  async #uploadAll(data: Data, store: string, version: number, write: string) {
    const bytes = Buffer.concat([...dataPieces(data)]);
    const uploaded = await upload(this.#target, store, newId(), bytes);
    const { write: name, parts } = uploaded;
    return { uploaded, snapshot: { version, write, upload: name, parts, bytes: bytes.length } };
  }

  /**
   * Makes a snapshot when the log is long, and removes what is not needed. If it fails, nothing is
   * lost.
   */
  async #tidy(state: StoreState, before: StoreState): Promise<void> {
    const isLong = state.logBytes > Math.max(MIN_LOG_BYTES, state.head.snapshot.bytes / 4);
    // Not each of many writers makes one.
    const isDue =
      isLong &&
      (state.head.version % 10 === 0 || state.logBytes - before.logBytes > MAX_ENTRY_BYTES);
    if (isDue) await this.#makeSnapshot(state);
    if (isDue || state.head.version % TIDY_EVERY === 0) await this.prune(HISTORY, true);
  }

  async #makeSnapshot({
    head: { store, version, write, snapshot: before },
    data,
  }: StoreState): Promise<void> {
    // Undefined if another writer has made one, or the cluster was restored.
    const findOutdated = async () => {
      const found = await readHead(this.#target);
      return found && found.head.version >= version && found.head.snapshot.upload === before.upload
        ? found
        : undefined;
    };
    if (!(await findOutdated())) return;
    const { snapshot, uploaded } = await this.#uploadAll(data, store, version, write);
    try {
      for (let found = await findOutdated(); found; found = await findOutdated()) {
        const head = { ...found.head, snapshot, previous: before };
        await this.#replaceHead({ head, after: found.value, uploaded });
      }
    } finally {
      await uploaded.end();
    }
  }

  /**
   * Replaces the head, and adds an entry.
   *
   * @returns what there is then; undefined if another writer was faster
   * @throws LostUploadError; UnreachableError that tells if it is unknown whether it was made
   */
  async #replaceHead({ head, after, entry, uploaded }: NextHead) {
    const { gateway, prefix, sealing } = this.#target;
    const write = entry?.write ?? uploaded?.write ?? head.write;
    const put = (name: string, content: Head | Entry): Put => {
      const key = prefix + name;
      const bytes = Buffer.from(JSON.stringify(content));
      return { key, value: sealing.seal(bytes, { store: head.store, write, key }) };
    };
    const headPut = put(KEYS.head, head);
    const puts = [headPut];
    // Not by its revision: after a restore, another head may get the same one.
    const compare: Condition[] = [
      { key: prefix + KEYS.head, ...(after ? { value: after } : { modRevision: 0 }) },
    ];
    if (entry) {
      puts.push(put(logKey(head.version), entry));
      compare.push({ key: prefix + logKey(head.version), modRevision: 0 });
      compare.push(
        this.#turn?.compare ?? {
          key: prefix + KEYS.turn,
          modRevision: 0,
          obstacle: "another writer has the turn",
        },
      );
    }
    if (uploaded) {
      puts.push(uploaded.keep(typeof entry?.changes === "number" ? head.version : SNAPSHOT));
      compare.push(uploaded.compare);
    }
    const checkTrace: CheckTrace = ([now, log]) => {
      if (!entry || log || !now) return;
      // Otherwise a snapshot has replaced the head, or the cluster was restored.
      if (
        openKey(this.#target, now, parseHead, () => ({ store: head.store })).version >= head.version
      )
        throw new InvalidDataError("the log entry that would show this is no longer kept");
    };
    const revision = await gateway.commit({ compare, puts }, { checkTrace }).catch((error) => {
      if (!(error instanceof UncertainError)) throw error;
      throw new UnreachableError(`${error.message}; it is not known whether the change was made`, {
        cause: error,
      });
    });
    if (revision !== undefined) return { value: headPut.value, revision };
    if (uploaded && (await this.#revisionOf(uploaded.compare.key)) !== uploaded.compare.modRevision)
      throw new LostUploadError();
    return undefined;
  }

  /** 0 if there is no such key. */
  async #revisionOf(key: string): Promise<number> {
    const { entries } = await this.#target.gateway.range({ key });
    return entries[0]?.modRevision ?? 0;
  }

  /** A store must not be inside another one: who may write the outer one may write both. */
  async #refuseExisting(): Promise<void> {
    const { gateway, prefix } = this.#target;
    const names = prefix.split("/").slice(1, -1);
    for (let length = names.length; length > 0; length--) {
      const outer = `/${names.slice(0, length).join("/")}`;
      const { entries } = await gateway
        .range({ key: `${outer}/${KEYS.head}` })
        .catch((error: unknown) => {
          // A user who may not read there can't have created it.
          if (error instanceof UnauthorizedError && length < names.length) return { entries: [] };
          throw error;
        });
      const rule =
        length === names.length
          ? "holds data already"
          : `is inside the store ${outer}: use another prefix`;
      if (entries.length > 0) throw new InvalidDataError(`${this.#options.url} ${rule}`);
    }
  }
}
