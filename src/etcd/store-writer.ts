import { formatDuration } from "../kit/text/duration.js";
import { InvalidDataError, UnreachableError } from "../kit/text/errors.js";
import type { Data } from "../store/data.js";
import { applyChange } from "../store/edits/apply-change.js";
import { type Author, changesBetween, type RecordChange } from "../store/history.js";
import { checkData } from "../store/schema/parse-data.js";
import type { ChangeData, UpdateOptions } from "../store/store.js";
import type { Claim } from "./gateway.js";
import {
  changeLines,
  FORMAT,
  type Head,
  KEYS,
  type LogEntry,
  MAX_ENTRY_BYTES,
  newId,
} from "./log.js";
import { pause } from "./member-client.js";
import { ENTRY_COST, type StoreState } from "./read-store.js";
import { compactLog, modRevisionOf, prune, replaceHead, uploadSnapshot } from "./snapshots.js";
import { LostUploadError, type StoreTarget, type Upload, upload } from "./uploads.js";

/**
 * The longest random pause after a lost attempt: at first, and after doubling
 * each time.
 */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [10, 300];
/** How long a writer loses to others before it takes the turn. */
const TURN_AFTER_MS = 2_000;
const TURN_LEASE_MS = 5_000;

interface WriterOptions {
  target: StoreTarget;
  url: string;
  author: Author;
  present: StoreState | undefined;
  read: () => Promise<StoreState>;
  /** Takes the state after a write, whose last attempt began at `startedAt`. */
  adopt: (state: StoreState, before: StoreState, startedAt: number) => void;
}

/**
 * Makes one write exactly once, despite lost answers and other writers:
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
  /** The parts of the previous attempt, which the next one may use again. */
  #uploaded: (Upload & { readonly bytes: Buffer }) | undefined;
  /** The key `turn`, if this writer has it: all others wait. */
  #turn: Claim | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#target = options.target;
  }

  /**
   * @throws the errors of `change`; InvalidDataError; UnreachableError, whose
   *   message says whether the change may have been made
   */
  async update(change: ChangeData, options: UpdateOptions): Promise<void> {
    let { present } = this.#options;
    let startedAt = 0;
    const { before, after } = await this.#untilMade(async () => {
      startedAt = performance.now();
      // The current state is usually the newest. If it is not, the transaction
      // would fail, so errors of the change are ignored.
      const isNewest = !present;
      const before = present ?? (await this.#options.read());
      present = undefined;
      const planned = await plan(before.data, change, options, isNewest);
      if (!planned) return isNewest ? { before, after: before } : undefined;
      const after = await this.#append(before, planned.next, planned.changes);
      return after && { before, after };
    });
    if (after === before) return;
    this.#options.adopt(after, before, startedAt);
    await compactLog(this.#target, after, before).catch(() => {});
  }

  /** @throws InvalidDataError if the store holds something; as `update` */
  async create(data: Data): Promise<void> {
    const { url } = this.#options;
    if (await modRevisionOf(this.#target, KEYS.head))
      throw new InvalidDataError(`${url} already holds data`);
    const [write, checked] = [newId(), checkData(data)];
    const entry = this.#entry(write, write, [], checked);
    if (!(await this.#writeAll(checked, newId(), 1, entry)))
      throw new InvalidDataError(`${url} holds data, or a log without a head: use another prefix`);
  }

  /** Writes all data again, and removes the earlier log. */
  async rewriteAll(): Promise<void> {
    await this.#untilMade(async () => {
      const { head, value, data } = await this.#options.read();
      const entry = this.#entry(newId(), head.write, [], data);
      return this.#writeAll(data, head.store, head.version + 1, entry, value);
    });
    await prune(this.#target, 1);
  }

  /**
   * Repeats an attempt while it resolves to `undefined`: another writer was
   * faster.
   */
  async #untilMade<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    const { gateway, signal } = this.#target;
    let lostSince: number | undefined;
    try {
      for (let most = FIRST_PAUSE_MS; ; most = Math.min(2 * most, MAX_PAUSE_MS)) {
        const made = await attempt();
        if (made) return made;
        lostSince ??= performance.now();
        const lost = performance.now() - lostSince;
        if (lost > gateway.times.write)
          throw new UnreachableError(
            `other writers were faster for ${formatDuration(lost)}; nothing was changed`,
          );
        await this.#takeTurn(lost > TURN_AFTER_MS);
        if (!this.#turn) await pause(Math.random() * most, signal);
      }
    } finally {
      await this.#dropUpload();
      await this.#takeTurn(false);
    }
  }

  /** Ends the turn. If the next one is due and free, takes it. */
  async #takeTurn(isDue: boolean): Promise<void> {
    await this.#turn?.end();
    const { gateway } = this.#target;
    this.#turn = isDue
      ? await gateway.claim(KEYS.turn, TURN_LEASE_MS).catch(() => undefined)
      : undefined;
  }

  #entry(
    write: string,
    previous: string,
    changes: LogEntry["changes"],
    { last_ids }: Data,
  ): LogEntry {
    const { author } = this.#options;
    const time = new Date().toISOString();
    return { write, previous, time, ...author, ...(last_ids && { last_ids }), changes };
  }

  /**
   * @returns the state after the write; `undefined` if another writer was
   *   faster
   */
  async #append(
    state: StoreState,
    data: Data,
    changes: readonly RecordChange[],
  ): Promise<StoreState | undefined> {
    const { head: present, value: after } = state;
    const bytes = changeLines(changes);
    try {
      const uploaded =
        bytes.length > MAX_ENTRY_BYTES ? await this.#upload(present.store, bytes) : undefined;
      const write = uploaded?.write ?? newId();
      const head = { ...present, version: present.version + 1, write };
      const entry = this.#entry(write, present.write, uploaded?.parts ?? changes, data);
      const next = { head, after, entry, uploaded, turn: this.#turn };
      const made = await replaceHead(this.#target, next);
      const logBytes = state.logBytes + bytes.length + ENTRY_COST;
      return made && { ...state, ...made, head, data, logBytes };
    } catch (error) {
      if (!(error instanceof LostUploadError)) throw error;
      await this.#dropUpload();
      return undefined;
    }
  }

  async #upload(store: string, bytes: Buffer): Promise<Upload> {
    if (!this.#uploaded?.bytes.equals(bytes)) {
      await this.#dropUpload();
      this.#uploaded = { ...(await upload(this.#target, store, bytes)), bytes };
    }
    return this.#uploaded;
  }

  async #dropUpload(): Promise<void> {
    await this.#uploaded?.end();
    this.#uploaded = undefined;
  }

  /**
   * Writes a snapshot that begins a log.
   *
   * @returns `undefined` if another writer was faster
   */
  async #writeAll(data: Data, store: string, version: number, entry: LogEntry, after?: Buffer) {
    const made = { store, version, write: entry.write };
    const { snapshot, uploaded } = await uploadSnapshot(this.#target, data, made);
    const head: Head = { format: FORMAT, ...made, snapshot };
    const next = { head, after, entry, uploaded, turn: this.#turn };
    return replaceHead(this.#target, next).finally(() => uploaded.end());
  }
}

/**
 * Returns the data after a change, and the changes; `undefined` if there are
 * none.
 */
async function plan(data: Data, change: ChangeData, options: UpdateOptions, isNewest: boolean) {
  try {
    const next = await applyChange(data, change, options);
    const changes = changesBetween(data, next);
    return changes.length === 0 ? undefined : { next, changes };
  } catch (error) {
    if (isNewest) throw error;
    return undefined;
  }
}
