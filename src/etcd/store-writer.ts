import { setTimeout as delay } from "node:timers/promises";
import { durationText } from "../kit/text/duration.js";
import { InvalidDataError, UnreachableError } from "../kit/text/errors.js";
import type { Data } from "../store/data.js";
import { type Author, changesBetween, type RecordChange } from "../store/history.js";
import { checkData } from "../store/schema/parse-data.js";
import { applyChange } from "../store/schema/value-schema.js";
import type { ChangeData, UpdateOptions } from "../store/store.js";
import { changeLines, type Entry, FORMAT, type Head, KEYS, MAX_ENTRY_BYTES, newId } from "./log.js";
import { ENTRY_COST, type StoreState } from "./read-store.js";
import { prune, replaceHead, revisionOf, tidy, uploadSnapshot } from "./snapshots.js";
import {
  type Claim,
  claim,
  LostUploadError,
  type StoreTarget,
  type Upload,
  upload,
} from "./uploads.js";

/** The longest random pause after an attempt that was too slow. It doubles each time. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [10, 300];
/** A writer takes the turn after others were faster for this long. */
const TURN_AFTER_MS = 2_000;
const TURN_LEASE_MS = 5_000;

interface WriterOptions {
  readonly target: StoreTarget;
  readonly url: string;
  readonly author: Author;
  /** Unix time in milliseconds. */
  readonly clock: () => number;
  readonly present: StoreState | undefined;
  readonly read: () => Promise<StoreState>;
  /**
   * Takes the state after a write.
   *
   * @param startedAt when its last attempt began: other writes may be newer
   */
  readonly show: (state: StoreState, before: StoreState, startedAt: number) => void;
}

/**
 * Makes one write to a store, once, despite failed requests and other writers.
 *
 * Two writers, and an answer that is lost:
 *
 *     A                       etcd                     B
 *     |  head 7 -> 8, log/8    |                       |
 *     |----------------------->| head is 8             |
 *     |      (answer lost) x---|    head 7 -> 8, log/8 |
 *     |                        |<----------------------|
 *     |                        |-- refused: head is 8 >|
 *     |  the same again        |     reads log/8, and  |
 *     |----------------------->|   plans its change on |
 *     |<- refused; log/8 is    |   top of it           |
 *     |   what A puts: made    |    head 8 -> 9, log/9 |
 *     |                        |<----------------------|
 */
export class StoreWriter {
  readonly #options: WriterOptions;
  readonly #target: StoreTarget;
  /** The parts of an attempt that was too slow. The next attempt may need the same. */
  #uploaded: { readonly upload: Upload; readonly bytes: Buffer } | undefined;
  /** The key `turn`, if this writer has it: all others wait. */
  #turn: Claim | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#target = options.target;
  }

  /**
   * @throws errors of `change`; InvalidDataError; UnreachableError that tells if it is unknown
   *   whether the change was made; otherwise it was not
   */
  async update(change: ChangeData, options: UpdateOptions): Promise<void> {
    let { present } = this.#options;
    let startedAt = 0;
    const { before, after } = await this.#untilMade(async () => {
      startedAt = performance.now();
      // This state is usually the newest. If not, the transaction fails: errors count only for the
      // newest state.
      const [state, isNewest] = [present ?? (await this.#options.read()), !present];
      present = undefined;
      const planned = await plan(state.data, change, options, isNewest);
      if (!planned) return isNewest ? { before: state, after: state } : undefined;
      const written = await this.#append(state, planned.next, planned.changes);
      return written && { before: state, after: written };
    });
    if (after === before) return;
    this.#options.show(after, before, startedAt);
    await tidy(this.#target, after, before).catch(() => {});
  }

  /** @throws InvalidDataError if the store holds something; as `update` */
  async create(data: Data): Promise<void> {
    const { url } = this.#options;
    if (await revisionOf(this.#target, KEYS.head))
      throw new InvalidDataError(`${url} holds data already`);
    const [write, first] = [newId(), checkData(data)];
    const entry = this.#entry(write, write, [], first);
    if (!(await this.#writeAll(first, newId(), 1, entry)))
      throw new InvalidDataError(`${url} holds data, or a log without a head: use another prefix`);
  }

  /** Writes everything again, and removes the log before. @throws as `update` */
  async writeAgain(): Promise<void> {
    await this.#untilMade(async () => {
      const { head, value, data } = await this.#options.read();
      const entry = this.#entry(newId(), head.write, [], data);
      return this.#writeAll(data, head.store, head.version + 1, entry, value);
    });
    await prune(this.#target, 1);
  }

  /** Repeats an attempt while it resolves to `undefined`: another writer was faster. */
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
        await this.#takeTurn(lost > TURN_AFTER_MS);
        if (!this.#turn) await delay(Math.random() * pause, undefined, { signal }).catch(() => {});
      }
    } finally {
      await this.#dropUpload();
      await this.#takeTurn(false);
    }
  }

  /** Ends the turn, and takes the next one if that is due and free. */
  async #takeTurn(isDue: boolean): Promise<void> {
    await this.#turn?.end();
    this.#turn = isDue
      ? await claim(this.#target, KEYS.turn, TURN_LEASE_MS).catch(() => undefined)
      : undefined;
  }

  #entry(write: string, previous: string, changes: Entry["changes"], { last_ids }: Data): Entry {
    const { author, clock } = this.#options;
    const time = new Date(clock()).toISOString();
    return { write, previous, time, ...author, ...(last_ids && { last_ids }), changes };
  }

  /** @returns the state afterwards; `undefined` if another writer was faster @throws as `update` */
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
      const after = state.value;
      const made = await replaceHead(this.#target, {
        head,
        after,
        entry,
        uploaded,
        turn: this.#turn,
      });
      const logBytes = state.logBytes + bytes.length + ENTRY_COST;
      return made && { ...state, ...made, head, data: next, logBytes };
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

  /** Writes a snapshot that begins a log. @returns `undefined` if another writer was faster */
  async #writeAll(data: Data, store: string, version: number, entry: Entry, after?: Buffer) {
    const { write } = entry;
    const { snapshot, uploaded } = await uploadSnapshot(this.#target, data, {
      store,
      version,
      write,
    });
    const head: Head = { format: FORMAT, store, version, write, snapshot };
    return replaceHead(this.#target, { head, after, entry, uploaded, turn: this.#turn }).finally(
      () => uploaded.end(),
    );
  }
}

/** The data after a change, and the changes; `undefined` if there are none, or to try again. */
async function plan(data: Data, change: ChangeData, options: UpdateOptions, isNewest: boolean) {
  try {
    const next = await applyChange(data, change, options);
    const changes = next === data ? [] : changesBetween(data, next);
    return changes.length === 0 ? undefined : { next, changes };
  } catch (error) {
    if (isNewest) throw error;
    return undefined;
  }
}
