import {
  AppvarsError,
  ChangedDataError,
  ChangedMeanwhileError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  UsageError,
} from "../../domain/errors.js";
import type { RateLimit } from "../../domain/http-headers.js";
import type { Snapshot, VariableEntry, VariableSource } from "../../domain/source.js";
import { type JsonValue, valueText } from "../../domain/variable.js";
import type { Effect } from "../state/effects.js";
import type { Failure } from "../state/loaded.js";
import type { Message } from "../state/messages.js";
import type {
  Copy,
  Editor,
  EditText,
  Environments,
  NewCredentials,
  OpenPlace,
  Place,
  PlacesChange,
  WriteValues,
} from "../state/ports.js";
import { copiedName, copiedText } from "./copied-text.js";
import { indented, textToEdit } from "./edited-text.js";
import { type EntriesRead, readEntries } from "./read-entries.js";
import { shareEntries } from "./share-entries.js";

/** What effects are carried out with. */
export interface PerformerOptions {
  readonly places: readonly Place[];
  /** Calls `listener` when places may have been added or removed. Returns a function that ends this. */
  readonly follow?: ((listener: (change: PlacesChange) => void) => () => void) | undefined;
  readonly copy: Copy;
  readonly write: WriteValues;
  readonly editText: EditText;
  /** The names in a folder, as in `Listing`; none if it can't be read. */
  readonly listFolder: (folder: string) => Promise<readonly string[]>;
  /** Milliseconds on a monotonic clock. */
  readonly ticks: () => number;
  readonly quit: () => void;
  readonly suspend: () => void;
  /** Writes the whole screen again. */
  readonly redraw: () => void;
  /** Called after each read that found changes. */
  readonly onRead: () => void;
}

type Dispatch = (message: Message) => void;
type EffectOf<T extends Effect["type"]> = Extract<Effect, { type: T }>;

/** A long first read reports its progress at most this often, as the list is rebuilt each time. */
const PROGRESS_MS = 100;

/** Carries out effects and dispatches their outcomes. Never throws. */
export class Performer {
  readonly #options: PerformerOptions;
  readonly #opened = new Map<number, Promise<OpenPlace>>();
  /** The version of the source that entries were read from. */
  readonly #versions = new WeakMap<readonly VariableEntry[], object>();
  /** When a version, or else a source, was last known to be up to date. */
  readonly #asOf = new WeakMap<object, number>();
  /** Index of the place that is shown. */
  #current = 0;
  #generation = 0;
  #dispatch: Dispatch = () => {};
  /** Aborts the previous read. */
  #reading = new AbortController();
  /** Abort the reads of other places, by their indexes: one of each at a time. */
  readonly #readingOthers = new Map<number, AbortController>();
  /** Places that failed. They are opened again when a person asks for another try, as settings may have been fixed. */
  readonly #failed = new Set<number>();
  /** While a text is open in the person's own editor. */
  #editing: Promise<void> | undefined;

  /** All places; those that were added are at the end, as others are known by their indexes. */
  readonly #places: Place[];
  readonly #unfollow: (() => void) | undefined;

  constructor(options: PerformerOptions) {
    this.#options = options;
    this.#places = [...options.places];
    this.#unfollow = options.follow?.(({ added, gone }) => {
      this.#places.push(...added);
      const indexes = gone.map((place) => this.#places.indexOf(place));
      // One that comes back is opened again: it may be another environment of the same name.
      for (const index of indexes) this.#opened.delete(index);
      this.#dispatch({ type: "placesChanged", added, gone: indexes });
    });
  }

  /** Whether a text is open in the person's own editor, or about to be. */
  get isEditing(): boolean {
    return this.#editing !== undefined;
  }

  async close(): Promise<void> {
    this.#unfollow?.();
    await this.#editing;
    const opened = await Promise.allSettled(this.#opened.values());
    await Promise.allSettled(opened.map((item) => item.status === "fulfilled" && item.value.source.close()));
  }

  readonly perform = (effect: Effect, dispatch: Dispatch): void => {
    this.#dispatch = dispatch;
    const carryOut = this.#performers[effect.type] as (effect: Effect) => void;
    carryOut(effect);
  };

  readonly #performers: { readonly [T in Effect["type"]]: (effect: EffectOf<T>) => void } = {
    load: (effect) => this.#load(effect),
    decrypt: ({ entry, place }) => this.#decrypt(entry, place),
    copy: (effect) => this.#copy(effect),
    editValue: (effect) => this.#editOnce(() => this.#editValue(effect)),
    editText: (effect) => this.#editOnce(() => this.#editText(effect)),
    prepare: ({ place, draft }) =>
      this.#edit(
        place,
        async (editor) => ({ type: "prepared", edit: editor.prepare(draft) }),
        (failure) => ({ type: "notPrepared", name: draft.name, failure }),
      ),
    assign: ({ place, purpose, assignments }) =>
      this.#edit(
        place,
        async (editor) => ({ type: "assigned", place, purpose, edit: editor.assign(assignments) }),
        refused,
      ),
    renew: (effect) => this.#renew(effect),
    apply: ({ place, edit }) =>
      this.#edit(
        place,
        (editor) => editor.apply(edit).then(() => ({ type: "applied" })),
        (failure) => ({ type: "notApplied", failure }),
      ),
    compare: ({ place }) => this.#compare(place),
    readOther: (effect) => this.#readOther(effect),
    stopReading: ({ places }) => {
      for (const place of places) this.#readingOthers.get(place)?.abort();
    },
    lookUp: ({ name, places }) => this.#lookUp(name, places),
    listFolder: ({ folder }) => this.#listFolder(folder),
    import: (effect) => this.#import(effect),
    export: (effect) => this.#export(effect),
    addEnvironment: ({ place, name }) => this.#changeEnvironments(place, (environments) => environments.add(name)),
    rotate: ({ place, grace }) => this.#changeEnvironments(place, (environments) => environments.rotate(grace)),
    copyCredentials: ({ credentials: { lines } }) =>
      this.#copyText("the credentials", async () => ({ text: lines.join("\n") })),
    quit: () => this.#options.quit(),
    suspend: () => this.#options.suspend(),
    redraw: () => this.#options.redraw(),
  };

  async #load({ place, generation, known }: EffectOf<"load">): Promise<void> {
    const { ticks, onRead } = this.#options;
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    const isRequested = generation !== this.#generation;
    this.#current = place;
    this.#generation = generation;
    try {
      if (isRequested) await this.#closeFailed(place);
      const opened = await this.#open(place);
      const { editor, identity } = opened;
      this.#dispatch({ type: "opened", generation, isEditable: editor !== undefined, ...(identity && { identity }) });
      const { entries, requests } = await this.#read(opened, known, signal, (soFar, total) => {
        this.#dispatch({ type: "progress", generation, entries: soFar, total });
      });
      const { problem, age } = await healthOf(opened.source);
      this.#failed.delete(place);
      const now = ticks();
      const asOf = this.#knownAsOf(this.#versions.get(entries) ?? opened.source, now, age);
      this.#dispatch({ type: "loaded", generation, entries, asOf, problem, requests: requests + 1, now });
      if (entries !== known) onRead();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RateLimitedError)) this.#failed.add(place);
      this.#dispatch({ type: "failed", generation, failure: toFailure(error), now: ticks() });
    }
  }

  /** @param age undefined if the source doesn't tell how old its data is */
  #knownAsOf(data: object, now: number, age: number | undefined): number | undefined {
    if (age !== undefined) this.#asOf.set(data, now - age);
    return this.#asOf.get(data);
  }

  /** Reads all entries unless their version is known. A long first read reports its progress. */
  async #read(
    { source, version }: OpenPlace,
    known: readonly VariableEntry[],
    signal: AbortSignal,
    onProgress: (entries: readonly VariableEntry[], total: number) => void,
  ): Promise<EntriesRead> {
    const { ticks } = this.#options;
    const current = version?.();
    if (current !== undefined && this.#versions.get(known) === current) return { entries: known, requests: 0 };
    let shownAt = Number.NEGATIVE_INFINITY;
    const showProgress = async (soFar: () => readonly VariableEntry[], total: number) => {
      if (known.length > 0 || ticks() - shownAt < PROGRESS_MS) return;
      shownAt = ticks();
      onProgress(soFar(), total);
      await giveWay();
    };
    const reading = await readAgainOnChange(source, (snapshot) => readEntries(snapshot, known, showProgress, signal));
    if (current) this.#versions.set(reading.entries, current);
    return reading;
  }

  /** Opens a place, or returns it if it is open. A place that couldn't be opened before is tried again. */
  async #open(index: number): Promise<OpenPlace> {
    const place = this.#places[index];
    if (!place) throw new RangeError(`there is no place ${index}`);
    const onRateLimit = (rateLimit: RateLimit) => {
      if (index === this.#current) this.#dispatch({ type: "rateLimit", generation: this.#generation, rateLimit });
    };
    const opening = this.#opened.get(index) ?? place.open(onRateLimit);
    this.#opened.set(index, opening);
    try {
      return await opening;
    } catch (error) {
      if (this.#opened.get(index) === opening) this.#opened.delete(index);
      throw error;
    }
  }

  async #closeFailed(index: number): Promise<void> {
    if (!this.#failed.delete(index)) return;
    const opening = this.#opened.get(index);
    this.#opened.delete(index);
    const opened = await opening?.catch(() => undefined);
    await opened?.source.close();
  }

  #decrypt(entry: VariableEntry, place: number | undefined): Promise<void> {
    const sealed = valueText(entry.value?.content.value ?? "");
    return this.#attempt(
      async () => ({ type: "decrypted", sealed, text: await this.#plainText(entry, place) }),
      (failure) => ({ type: "notDecrypted", failure }),
    );
  }

  #copy({ place, entries, format }: EffectOf<"copy">): Promise<void> {
    const { write } = this.#options;
    const where = place === this.#current ? "" : ` of ${this.#places[place]?.name}`;
    const nameOf = (copied: typeof entries) => `${copiedName(copied, format)}${where}`;
    return this.#copyText(nameOf(entries), async () => {
      const { leftOut = [], ...copied } = await copiedText(entries, format, await this.#open(place), write);
      return { ...copied, what: nameOf(entries.filter(({ variable }) => !leftOut.includes(variable.name))) };
    });
  }

  /** @param what the text is, for the notice, unless `text` says it more precisely, with a note about it */
  #copyText(
    what: string,
    text: () => Promise<{ text: string; what?: string; note?: string | undefined }>,
  ): Promise<void> {
    const copied = async (): Promise<Message> => {
      const { text: plain, ...about } = await text();
      return { type: "copied", what, ...about, outcome: await this.#options.copy(plain) };
    };
    return this.#attempt(copied, ({ message }) => {
      return { type: "copied", what, outcome: { kind: "failed", reason: message } };
    });
  }

  #editOnce(work: () => Promise<Message>): void {
    this.#editing = this.#attempt(work, refused).finally(() => {
      this.#editing = undefined;
    });
  }

  async #editValue({ place, entry }: EffectOf<"editValue">): Promise<Message> {
    const { editor, decrypt } = await this.#open(place);
    if (!editor) throw new UsageError("this place is read-only");
    const { name, type } = entry.variable;
    const text = await this.#editedText(textToEdit(entry, decrypt), { name, isJson: type === "JSON" });
    return { type: "valueEdited", place, entry, text };
  }

  async #editText({ place, text, sealed, name, isJson }: EffectOf<"editText">): Promise<Message> {
    const plain = sealed === undefined ? text : valueText((await this.#open(place)).decrypt(name, sealed));
    const before = isJson ? indented(plain) : plain;
    return { type: "textEdited", text: await this.#editedText(before, { name, isJson }) };
  }

  /** Undefined if nothing was changed. */
  async #editedText(before: string, file: Parameters<EditText>[1]): Promise<string | undefined> {
    const text = await this.#options.editText(before, file);
    return text === before ? undefined : text;
  }

  async #plainText({ variable, value }: VariableEntry, index = this.#current): Promise<string> {
    const place = await this.#open(index);
    return value ? valueText(place.decrypt(variable.name, value.content.value)) : "";
  }

  #edit(
    place: number,
    work: (editor: Editor) => Promise<Message>,
    toMessage: (failure: Failure) => Message,
  ): Promise<void> {
    const edit = async () => {
      const { editor } = await this.#open(place);
      if (!editor) throw new UsageError("this place is read-only");
      return work(editor);
    };
    return this.#attempt(edit, toMessage);
  }

  /** Whatever is wrong with the place, the edit can still be dropped from the history. */
  #renew({ place, edit }: EffectOf<"renew">): Promise<void> {
    const renewed = async (): Promise<Message> => {
      const { editor } = await this.#open(place);
      return { type: "renewed", edit, now: editor?.renew(edit) ?? edit };
    };
    return this.#attempt(renewed, () => ({ type: "renewed", edit, now: edit }));
  }

  #compare(place: number): Promise<void> {
    const compare = async (signal: AbortSignal): Promise<Message> => {
      const { source, editor } = await this.#open(place);
      const { entries } = await readAgainOnChange(source, (snapshot) => readEntries(snapshot, [], undefined, signal));
      const asOf = this.#options.ticks();
      return { type: "compared", place, entries, asOf, isEditable: editor !== undefined };
    };
    return this.#readBeside(place, compare, (failure) => ({ type: "notCompared", place, failure }));
  }

  /** Reads a place beside the open one. A local one is only read if it has changed. */
  #readOther({ place, known, base }: EffectOf<"readOther">): Promise<void> {
    const { ticks, onRead } = this.#options;
    let isLocal = false;
    const read = async (signal: AbortSignal): Promise<Message> => {
      const { source, version } = await this.#open(place);
      const current = version?.();
      isLocal = current !== undefined;
      if (known && isLocal && this.#versions.get(known) === current) {
        return { type: "otherRead", place, entries: known, asOf: ticks(), isLocal };
      }
      const { entries } = await readAgainOnChange(source, (snapshot) => readEntries(snapshot, [], giveWay, signal));
      const shared = shareEntries(entries, known ?? [], base);
      if (current) this.#versions.set(shared, current);
      if (shared !== known) onRead();
      return { type: "otherRead", place, entries: shared, asOf: ticks(), isLocal };
    };
    return this.#readBeside(place, read, (failure) => ({ type: "otherRead", place, failure, isLocal }));
  }

  /** Reads another place instead of an earlier read that is still in progress. Nothing comes of a read that is stopped. */
  async #readBeside(
    place: number,
    read: (signal: AbortSignal) => Promise<Message>,
    toMessage: (failure: Failure) => Message,
  ): Promise<void> {
    this.#readingOthers.get(place)?.abort();
    const controller = new AbortController();
    this.#readingOthers.set(place, controller);
    const { signal } = controller;
    try {
      await this.#closeFailed(place);
      const message = await read(signal);
      if (!signal.aborted) this.#dispatch(message);
    } catch (error) {
      if (signal.aborted) return;
      this.#failed.add(place);
      this.#dispatch(toMessage(toFailure(error)));
    }
  }

  /** Looks a variable up where that sends no request. Places that can't be read are left out. */
  async #lookUp(name: string, places: readonly number[]): Promise<void> {
    const values = new Map<number, JsonValue | undefined>();
    for (const place of places) {
      if (this.#places[place]?.kind !== "environment" && !this.#opened.has(place)) continue;
      try {
        const { source, version } = await this.#open(place);
        if (version) values.set(place, (await source.getContentByName(name)).value);
      } catch (error) {
        if (error instanceof NotFoundError) values.set(place, undefined);
      }
      await giveWay();
    }
    if (values.size > 0) this.#dispatch({ type: "lookedUp", name, values });
  }

  async #listFolder(folder: string): Promise<void> {
    this.#dispatch({ type: "listed", folder, names: await this.#options.listFolder(folder) });
  }

  #import({ place, file }: EffectOf<"import">): Promise<void> {
    const prepare = async (): Promise<Message> => {
      const { editor, importFile } = await this.#open(place);
      if (!editor || !importFile) throw new UsageError("this place is read-only");
      const { assignments, notes } = await importFile(file);
      return { type: "imported", place, file, edit: editor.assign(assignments), notes };
    };
    return this.#attempt(prepare, refused);
  }

  #export({ place, file, isReplacing }: EffectOf<"export">): Promise<void> {
    const write = async (): Promise<Message> => {
      const { exportFile } = await this.#open(place);
      return { type: "exported", place, file, outcome: await exportFile(file, isReplacing) };
    };
    return this.#attempt(write, refused);
  }

  #changeEnvironments(place: number, change: (environments: Environments) => Promise<NewCredentials>): Promise<void> {
    const work = async (): Promise<Message> => {
      const { environments } = await this.#open(place);
      if (!environments) throw new UsageError("the environments of a server can't be changed here");
      return { type: "credentials", credentials: await change(environments) };
    };
    return this.#attempt(work, refused);
  }

  /** Dispatches the outcome of some work, or its failure. */
  async #attempt(work: () => Promise<Message>, toMessage: (failure: Failure) => Message): Promise<void> {
    this.#dispatch(await work().catch((error: unknown) => toMessage(toFailure(error))));
  }
}

function refused(failure: Failure): Message {
  return { type: "refused", failure };
}

/** Local data is returned without a pause: let the screen and the keys have their turn. */
function giveWay(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** An error for the state. An unexpected one may quote anything, so only its kind is shown. */
function toFailure(error: unknown): Failure {
  if (!(error instanceof AppvarsError)) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { code: "unexpected", message: `unexpected error (${code ?? name ?? "unknown"})` };
  }
  const retryAfter = error instanceof RateLimitedError ? error.retryAfter : undefined;
  const code = error instanceof ChangedMeanwhileError ? "changed" : error.code;
  return { code, message: error.message, retryAfter };
}

/** Data that has just changed is usually stable after that; more changes in a row are reported as a failure. */
const MAX_READS = 5;

/** Reads again after a change during the read, for which a source that tries once gives up. */
async function readAgainOnChange(
  source: VariableSource,
  read: (snapshot: Snapshot) => Promise<EntriesRead>,
): Promise<EntriesRead> {
  for (let reads = 1; ; reads++) {
    try {
      return await source.readSnapshot(read);
    } catch (error) {
      if (!(error instanceof ChangedDataError) || reads === MAX_READS) throw error;
    }
  }
}

const UNAVAILABLE = 503;

interface SourceHealth {
  /** What the source reports although it answers. */
  readonly problem?: string | undefined;
  /** Milliseconds since its data was last known to be up to date; undefined if that isn't known. */
  readonly age?: number | undefined;
}

/** A proxy that blocks the health check doesn't matter here. */
async function healthOf(source: VariableSource): Promise<SourceHealth> {
  try {
    const { message, data_age: seconds } = await source.getHealth();
    const problem = seconds === undefined || message === "OK" ? undefined : message;
    return { problem, age: (seconds ?? 0) * 1_000 };
  } catch (error) {
    return error instanceof ServerError && error.status === UNAVAILABLE ? { problem: error.message } : { age: 0 };
  }
}
