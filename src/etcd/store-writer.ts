import { setTimeout as delay } from "node:timers/promises";
import { InvalidDataError, UnauthorizedError, UnreachableError } from "../domain/errors.js";
import { durationText } from "../domain/printable.js";
import { type Data, withLastIds } from "../store/data.js";
import { serializeData } from "../store/data-file.js";
import { checkData } from "../store/parse-data.js";
import { changesBetween, type RecordChange, sortedById } from "../store/record-changes.js";
import { type Put, UncertainError } from "./gateway.js";
import {
  type Author,
  changeLines,
  type Entry,
  HEAD_KEY,
  type Head,
  LOG_PREFIX,
  logKey,
  MAX_ENTRY_BYTES,
  newHead,
  newId,
  parseEntry,
  parseHead,
  TURN_KEY,
  toBytes,
  UPLOADS_PREFIX,
} from "./log.js";
import { ENTRY_COST, type ReadTarget, readHead, type StoreState } from "./read-store.js";
import { commitUntilAnswered, LostUploadError, sweep, type Upload, upload } from "./uploads.js";

/** A snapshot is made when the log after the last one is longer than this, and than a quarter of the data. */
const MIN_LOG_BYTES = 512 * 1_024;
/** Entries that are kept. */
const HISTORY = 10_000;
/** A revision that no key is at. */
const NEVER = Number.MAX_SAFE_INTEGER;
/** Writes between two removals of parts and entries that are not needed. */
const TIDY_EVERY = 100;
/** Before the next attempt of a writer that was too slow, at random: at most this long, and twice as long each time. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [10, 300];

/** A writer takes the turn after others were faster for this long. It is a key with a lease: only its owner can write. */
const [TURN_AFTER_MS, TURN_MS] = [2_000, 5_000];

interface WriterOptions {
  readonly target: ReadTarget;
  /** For messages. */
  readonly url: string;
  readonly author: Author;
  /** Unix time in milliseconds. */
  readonly clock: () => number;
  /** The state that was read last. */
  readonly known: StoreState | undefined;
  /** Reads the newest state. */
  readonly read: () => Promise<StoreState>;
  /** Takes the state after a write. */
  readonly show: (state: StoreState, before: StoreState) => void;
}

/** The data after a change, and the changes; undefined if there are none. @throws errors of `change`; InvalidDataError */
function plan(data: Data, change: (data: Data) => Data) {
  const changed = change(data);
  if (changed === data) return undefined;
  const next = checkData(withLastIds(data, changed));
  const changes = changesBetween(data, changed, next);
  return changes.length === 0 ? undefined : { next, changes };
}

/** A head that replaces another. */
interface NextHead {
  readonly head: Head;
  /** The one before, as it is in etcd; undefined if there must be none. */
  readonly after: Buffer | undefined;
  /** An entry that comes with it. */
  readonly entry?: Entry;
  /** Parts that count from then on: those of the entry if it has any, and of a snapshot if not. */
  readonly upload?: Upload | undefined;
}

/** Makes one write to a store, once, despite failed requests and other writers. */
export class StoreWriter {
  readonly #options: WriterOptions;
  readonly #target: ReadTarget;
  /** Parts of an entry that another writer was faster than: the next attempt may need the same. */
  #uploaded: { readonly upload: Upload; readonly bytes: Buffer } | undefined;
  /** The turn, if this writer has it, and the time when its lease may end. */
  #turn: { readonly revision: number; readonly endsAt: number } | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#target = options.target;
  }

  /**
   * Changes the data as others have changed it.
   *
   * @throws errors of `change`; InvalidDataError; UnreachableError that tells if it is unknown whether it was made;
   *   otherwise it was not
   */
  async update(change: (data: Data) => Data): Promise<void> {
    let lostSince: number | undefined;
    try {
      for (let pause = 0; ; pause = Math.min(2 * pause, MAX_PAUSE_MS) || FIRST_PAUSE_MS) {
        if (pause > 0 && !this.#turn)
          await delay(Math.random() * pause, undefined, { signal: this.#target.signal }).catch(() => {});
        // The known state is mostly the newest. If not, the transaction fails. That there is nothing to do, or an error,
        // is said of the newest only.
        const isNewest = pause > 0 || !this.#options.known;
        const state = isNewest ? await this.#options.read() : (this.#options.known as StoreState);
        let planned: ReturnType<typeof plan>;
        try {
          planned = plan(state.data, change);
        } catch (error) {
          if (isNewest) throw error;
        }
        if (!planned && isNewest) return;
        if (!planned) continue;
        const written = await this.#append(state, planned.next, planned.changes);
        if (written) {
          this.#options.show(written, state);
          return await this.#tidy(written, state).catch(() => {});
        }
        lostSince ??= performance.now();
        const lost = performance.now() - lostSince;
        if (lost > this.#target.times.write)
          throw new UnreachableError(`other writers were faster for ${durationText(lost)}; nothing was changed`);
        if (lost > TURN_AFTER_MS) await this.#takeTurn().catch(() => {});
      }
    } finally {
      await this.#dropUpload();
      await this.#endTurn().catch(() => {});
    }
  }

  /** Takes the turn, unless another writer has it. */
  async #takeTurn(): Promise<void> {
    const { gateway, prefix } = this.#target;
    const now = performance.now();
    if (this.#turn && now < this.#turn.endsAt) return;
    this.#turn = undefined;
    const key = prefix + TURN_KEY;
    if ((await this.#revisionOf(key)) > 0) return;
    const put = { key, value: Buffer.alloc(0), lease: await gateway.grantLease(TURN_MS) };
    const made = await gateway.commit({ compare: [{ key, modRevision: 0 }], puts: [put], deletes: [] });
    if (made.succeeded) this.#turn = { revision: made.revision, endsAt: now + TURN_MS };
  }

  async #endTurn(): Promise<void> {
    const { gateway, prefix } = this.#target;
    const turn = this.#turn;
    this.#turn = undefined;
    const key = prefix + TURN_KEY;
    if (turn) await gateway.commit({ compare: [{ key, modRevision: turn.revision }], puts: [], deletes: [{ key }] });
  }

  /** Writes the first data. @throws InvalidDataError if there is some; as `update` */
  async create(data: Data): Promise<void> {
    await this.#refuseNested();
    const [write, first] = [newId(), sortedById(checkData(data))];
    const entry = this.#entry(write, write, [], first);
    const made = await this.#writeAll(first, { entry, after: undefined, store: newId(), version: 1 });
    if (!made) throw this.#existsError();
  }

  /** Writes everything again, and removes the log before. @throws as `update` */
  async writeAgain(): Promise<void> {
    for (;;) {
      const { head, value, data } = await this.#options.read();
      const entry = this.#entry(newId(), head.write, [], data);
      const next = { entry, after: value, store: head.store, version: head.version + 1 };
      const made = await this.#writeAll(data, next);
      if (made) return this.prune(made, 1, false);
    }
  }

  /**
   * Removes entries, but none that is needed to read the data.
   *
   * @param entries how many to keep
   * @param isSlowReaderSafe whether to keep the snapshot before the last one, which a slow reader may have begun with
   */
  async prune(head: Head, entries: number, isSlowReaderSafe: boolean): Promise<void> {
    const { gateway, prefix } = this.#target;
    const { version, upload } = (isSlowReaderSafe && head.previous) || head.snapshot;
    const first = Math.max(1, Math.min(version, head.version - entries) + 1);
    // A cluster that is restored meanwhile may need what comes before a snapshot that it has not.
    const key = prefix + UPLOADS_PREFIX + upload;
    const compare = [{ key, modRevision: (await this.#revisionOf(key)) || NEVER }];
    // The parts first: an entry names them.
    await sweep(this.#target, first, compare, async () => {
      const { snapshot, previous } = (await readHead(this.#target))?.head ?? head;
      return [snapshot, isSlowReaderSafe ? previous : undefined];
    });
    const deletes = [{ key: prefix + LOG_PREFIX, end: prefix + logKey(first) }];
    await gateway.commit({ compare, puts: [], deletes });
  }

  #entry(write: string, previous: string, changes: Entry["changes"], { last_ids }: Data): Entry {
    const { author, clock } = this.#options;
    return {
      write,
      previous,
      time: new Date(clock()).toISOString(),
      ...author,
      ...(last_ids && { last_ids }),
      changes,
    };
  }

  /** @returns the state afterwards; undefined if another writer was faster @throws as `update` */
  async #append(state: StoreState, next: Data, changes: readonly RecordChange[]): Promise<StoreState | undefined> {
    const bytes = changeLines(changes);
    try {
      const uploaded = bytes.length > MAX_ENTRY_BYTES ? await this.#upload(state.head.store, bytes) : undefined;
      const [write, version] = [uploaded?.write ?? newId(), state.head.version + 1];
      const head = { ...state.head, version, write };
      const entry = this.#entry(write, state.head.write, uploaded?.parts ?? changes, next);
      const made = await this.#replaceHead({ head, after: state.value, entry, upload: uploaded });
      if (!made) return undefined;
      const logBytes = state.logBytes + bytes.length + ENTRY_COST;
      const { isFound, ...mine } = { ...state, ...made, head, data: next, logBytes };
      // Since an attempt without an answer, others may have written.
      return isFound ? await this.#options.read().catch(() => mine) : mine;
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

  /** Ends the upload, if there is one. Parts that do not count are removed. */
  async #dropUpload(): Promise<void> {
    await this.#uploaded?.upload.end();
    this.#uploaded = undefined;
  }

  /** Writes all data as a snapshot that begins a log. @returns the head; undefined if another writer was faster */
  async #writeAll(
    data: Data,
    { entry, after, store, version }: { entry: Entry; after: Buffer | undefined; store: string; version: number },
  ): Promise<Head | undefined> {
    const { write } = entry;
    return this.#withSnapshot(store, data, async (uploaded, bytes) => {
      const head = newHead(store, { version, write, upload: uploaded.write, parts: uploaded.parts, bytes });
      const made = await this.#replaceHead({ head, after, entry, upload: uploaded });
      return made && head;
    });
  }

  /** Uploads all data. @param use makes it count, or not */
  async #withSnapshot<T>(store: string, data: Data, use: (uploaded: Upload, bytes: number) => Promise<T>): Promise<T> {
    const bytes = Buffer.from(serializeData(data));
    const uploaded = await upload(this.#target, store, newId(), bytes);
    return use(uploaded, bytes.length).finally(() => uploaded.end());
  }

  /** Makes a snapshot when the log is long, and removes what is not needed. If it fails, nothing is lost. */
  async #tidy(state: StoreState, before: StoreState): Promise<void> {
    const isLong = state.logBytes > Math.max(MIN_LOG_BYTES, state.head.snapshot.bytes / 4);
    // Not each of many writers makes one.
    const isDue = isLong && (state.head.version % 10 === 0 || state.logBytes - before.logBytes > MAX_ENTRY_BYTES);
    if (isDue) await this.#makeSnapshot(state);
    if (isDue || state.head.version % TIDY_EVERY === 0)
      await this.prune((await this.#options.read()).head, HISTORY, true);
  }

  async #makeSnapshot({ head: { store, version, write, snapshot: before }, data }: StoreState): Promise<void> {
    // Undefined if another writer has made one, or the cluster was restored.
    const findOutdated = async () => {
      const found = await readHead(this.#target);
      return found && found.head.version >= version && found.head.snapshot.upload === before.upload ? found : undefined;
    };
    if (!(await findOutdated())) return;
    await this.#withSnapshot(store, data, async (uploaded, bytes) => {
      const snapshot = { version, write, upload: uploaded.write, parts: uploaded.parts, bytes };
      for (let found = await findOutdated(); found; found = await findOutdated()) {
        const head = { ...found.head, snapshot, previous: before };
        await this.#replaceHead({ head, after: found.value, upload: uploaded });
      }
    });
  }

  /**
   * Replaces the head, and adds an entry.
   *
   * @returns what there is then; undefined if another writer was faster
   * @throws LostUploadError; UnreachableError that tells if it is unknown whether it was made
   */
  async #replaceHead(next: NextHead): Promise<{ value: Buffer; revision: number; isFound: boolean } | undefined> {
    const { head, after, entry, upload: uploaded } = next;
    const { prefix, sealing } = this.#target;
    const write = entry?.write ?? uploaded?.write ?? head.write;
    const put = (name: string, content: Head | Entry): Put => {
      const key = prefix + name;
      return { key, value: sealing.seal(toBytes(content), { store: head.store, write, key }) };
    };
    const name = logKey(head.version);
    const turn = { key: prefix + TURN_KEY, modRevision: this.#turn?.revision ?? 0 };
    // Not by its revision: after a restore, another head may get the same one.
    const before = { key: prefix + HEAD_KEY, ...(after ? { value: after } : { modRevision: 0 }) };
    const others = [...(entry ? [turn] : []), ...(uploaded ? [uploaded.compare] : [])];
    const headPut = put(HEAD_KEY, head);
    const transaction = {
      compare: [before, ...(entry ? [{ key: prefix + name, modRevision: 0 }] : []), ...others],
      puts: [
        headPut,
        ...(entry ? [put(name, entry)] : []),
        ...(uploaded ? [uploaded.keep(typeof entry?.changes === "number" ? head.version : "snapshot")] : []),
      ],
      deletes: turn.modRevision > 0 ? [{ key: turn.key }] : [],
    };
    try {
      let isFound = false;
      const findMade = async () => {
        const revision = await this.#findMade(next, others);
        isFound = revision !== undefined;
        return revision;
      };
      const revision = await commitUntilAnswered(this.#target, transaction, findMade);
      if (revision !== undefined) {
        this.#turn = undefined;
        return { value: headPut.value, revision, isFound };
      }
      const { key = "", modRevision } = uploaded?.compare ?? {};
      if (uploaded && (await this.#revisionOf(key)) !== modRevision) throw new LostUploadError();
      return undefined;
    } catch (error) {
      if (!(error instanceof UncertainError)) throw error;
      throw new UnreachableError(`${error.message}; it is not known whether the change was made`, { cause: error });
    }
  }

  /**
   * Looks for the effect of an attempt without an answer, once the same transaction is refused.
   *
   * @param others its conditions beside head and entry
   * @returns the revision; undefined if it was not, and can't be any more
   * @throws UncertainError while it still can be
   */
  async #findMade(
    { head, after, entry }: NextHead,
    others: readonly { key: string; modRevision: number }[],
  ): Promise<number | undefined> {
    if (!entry) return undefined;
    const { gateway, prefix, sealing } = this.#target;
    const key = prefix + logKey(head.version);
    // At one revision: it may be carried out at any time.
    const names = [key, prefix + HEAD_KEY, ...others.map((other) => other.key)];
    const ranges = await gateway.ranges(names.map((name) => ({ key: name })));
    const [log, found, ...now] = ranges.map(({ entries }) => entries[0]);
    if (log) return parseEntry(sealing.open(log.value, key)).write === entry.write ? log.modRevision : undefined;
    const isAfter = after ? found?.value.equals(after) : !found;
    // A snapshot has replaced the head, or the cluster was restored.
    if (found && !isAfter && this.#openHead(found.value).version < head.version) return undefined;
    if (!isAfter) throw new UncertainError("the entry that would tell is no longer kept");
    // A key that was there does not come back as it was.
    if (others.some(({ modRevision }, index) => modRevision > 0 && now[index]?.modRevision !== modRevision))
      return undefined;
    throw new UncertainError("another writer has the turn");
  }

  #openHead(value: Buffer): Head {
    return parseHead(this.#target.sealing.open(value, this.#target.prefix + HEAD_KEY));
  }

  /** 0 if there is no such key. */
  async #revisionOf(key: string): Promise<number> {
    const { entries } = await this.#target.gateway.range({ key });
    return entries[0]?.modRevision ?? 0;
  }

  /** A store must not be inside another one: who may write the outer one may write both. */
  async #refuseNested(): Promise<void> {
    const { gateway, prefix } = this.#target;
    if (await readHead(this.#target)) throw this.#existsError();
    const names = prefix.split("/").slice(1, -2);
    for (let length = names.length; length > 0; length--) {
      const outer = `/${names.slice(0, length).join("/")}`;
      const { entries } = await gateway.range({ key: `${outer}/${HEAD_KEY}` }).catch((error: unknown) => {
        // A user who may not read there can't have created it.
        if (error instanceof UnauthorizedError) return { entries: [] };
        throw error;
      });
      const { url } = this.#options;
      if (entries.length > 0) throw new InvalidDataError(`${url} is inside the store ${outer}: use another prefix`);
    }
  }

  #existsError(): InvalidDataError {
    return new InvalidDataError(`${this.#options.url} holds data already`);
  }
}
