import { RateLimitedError, ServerError, UsageError } from "../domain/errors.js";
import type { VariableSource } from "../domain/source.js";
import { valueText } from "../domain/variable.js";
import type { Copy, Editor, Entry, OpenPlace, Place } from "./ports.js";
import { type Reading, readEntries } from "./read-entries.js";
import type { Effect } from "./state/effect.js";
import type { Message } from "./state/message.js";
import { toFailure } from "./to-failure.js";

/** What effects are carried out on. */
export interface Surroundings {
  readonly places: readonly Place[];
  readonly copy: Copy;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly quit: () => void;
  readonly suspend: () => void;
  /** Called after each reading that found something new, and was shown: a moment to clear up. */
  readonly onRead: () => void;
}

type Dispatch = (message: Message) => void;
type EffectOf<T extends Effect["type"]> = Extract<Effect, { type: T }>;

/** At most so often does a long first reading show how far it is: each time the list is made anew. */
const PROGRESS_MS = 100;

/** Carries out effects, and sends what comes of them as messages. Nothing that goes wrong escapes. */
export class Performer {
  readonly #surroundings: Surroundings;
  readonly #opened = new Map<number, Promise<OpenPlace>>();
  /** What entries were read from: those of one version need not be read again. */
  readonly #versions = new WeakMap<readonly Entry[], unknown>();
  /** The place that is shown, and which its effects are about. */
  #current = 0;
  #generation = 0;
  /** Ends the reading before, when nobody waits for that any more. */
  #reading = new AbortController();
  /** Places that could not be read: their settings may be mended by the time that a person has them tried again. */
  readonly #doubtful = new Set<number>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Lets go of all that was opened. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    await Promise.allSettled(opened.map((item) => item.status === "fulfilled" && item.value.source.close()));
  }

  readonly perform = (effect: Effect, dispatch: Dispatch): void => {
    if (effect.type === "quit") this.#surroundings.quit();
    else if (effect.type === "suspend") this.#surroundings.suspend();
    else void this.#answer(effect, dispatch);
  };

  /** What has an outcome to tell. */
  #answer(effect: Exclude<Effect, EffectOf<"quit" | "suspend">>, dispatch: Dispatch): Promise<void> {
    switch (effect.type) {
      case "load":
        return this.#load(effect, dispatch);
      case "decrypt":
        return this.#decrypt(effect, dispatch);
      case "copyValue":
        return this.#copyValue(effect, dispatch);
      case "copyCommand":
        return this.#copyCommand(effect, dispatch);
      case "prepare":
        return this.#prepare(effect, dispatch);
      case "apply":
        return this.#apply(effect, dispatch);
      case "compare":
        return this.#compare(effect, dispatch);
    }
  }

  async #load({ place, generation, known }: EffectOf<"load">, dispatch: Dispatch): Promise<void> {
    const { clock } = this.#surroundings;
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    const isAskedFor = generation !== this.#generation;
    this.#current = place;
    this.#generation = generation;
    try {
      if (isAskedFor) await this.#closeDoubtful(place);
      const opened = await this.#open(place, dispatch);
      dispatch({ type: "opened", generation, isEditable: opened.editor !== undefined });
      const { entries, requests } = await this.#read(opened, known, signal, (soFar, total) => {
        dispatch({ type: "progress", generation, entries: soFar, total });
      });
      const problem = await problemOf(opened.source);
      this.#doubtful.delete(place);
      dispatch({ type: "loaded", generation, entries, problem, requests: requests + 1, now: clock() });
      if (entries !== known) this.#surroundings.onRead();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RateLimitedError)) this.#doubtful.add(place);
      dispatch({ type: "failed", generation, failure: toFailure(error), now: clock() });
    }
  }

  /** Reads all, unless it is known already; of a first reading that takes long tells how far it is. */
  async #read(
    { source, version }: OpenPlace,
    known: readonly Entry[],
    signal: AbortSignal,
    onProgress: (entries: readonly Entry[], total: number) => void,
  ): Promise<Reading> {
    const { clock } = this.#surroundings;
    const current = version?.();
    if (current !== undefined && this.#versions.get(known) === current) return { entries: known, requests: 0 };
    let shownAt = Number.NEGATIVE_INFINITY;
    const showProgress = async (soFar: () => readonly Entry[], total: number) => {
      if (known.length > 0 || clock() - shownAt < PROGRESS_MS) return;
      shownAt = clock();
      onProgress(soFar(), total);
      // A data file gives its pages without a pause: the picture and the keys get their turn.
      await new Promise<void>((resolve) => void setImmediate(resolve));
    };
    const reading = await readEntries(source, known, showProgress, signal);
    this.#versions.set(reading.entries, current);
    return reading;
  }

  /** Opens a place, or takes it as it was opened before. What could not be opened is opened anew. */
  #open(index: number, dispatch: Dispatch): Promise<OpenPlace> {
    const known = this.#opened.get(index);
    if (known) return known;
    const place = this.#surroundings.places[index];
    if (!place) throw new RangeError(`there is no place ${index}`);
    const opening = place.open((rateLimit) => {
      if (index === this.#current) dispatch({ type: "rateLimit", generation: this.#generation, rateLimit });
    });
    this.#opened.set(index, opening);
    opening.catch(() => {
      if (this.#opened.get(index) === opening) this.#opened.delete(index);
    });
    return opening;
  }

  /** Has it opened anew. */
  async #closeDoubtful(index: number): Promise<void> {
    if (!this.#doubtful.delete(index)) return;
    const opening = this.#opened.get(index);
    this.#opened.delete(index);
    const opened = await opening?.catch(() => undefined);
    await opened?.source.close();
  }

  async #decrypt({ entry }: EffectOf<"decrypt">, dispatch: Dispatch): Promise<void> {
    const sealed = valueText(entry.value?.content.value ?? "");
    try {
      dispatch({ type: "decrypted", sealed, text: await this.#plainText(entry, dispatch) });
    } catch (error) {
      dispatch({ type: "notDecrypted", failure: toFailure(error) });
    }
  }

  async #copyValue({ entry }: EffectOf<"copyValue">, dispatch: Dispatch): Promise<void> {
    await this.#copy(entry.variable.name, () => this.#plainText(entry, dispatch), dispatch);
  }

  async #copyCommand({ name }: EffectOf<"copyCommand">, dispatch: Dispatch): Promise<void> {
    const command = async () => (await this.#open(this.#current, dispatch)).getCommand(name);
    await this.#copy(`the command for ${name}`, command, dispatch);
  }

  async #copy(what: string, text: () => Promise<string>, dispatch: Dispatch): Promise<void> {
    try {
      dispatch({ type: "copied", what, outcome: await this.#surroundings.copy(await text()) });
    } catch (error) {
      dispatch({ type: "copied", what, outcome: { kind: "failed", reason: toFailure(error).message } });
    }
  }

  async #plainText({ variable, value }: Entry, dispatch: Dispatch): Promise<string> {
    const place = await this.#open(this.#current, dispatch);
    return value ? valueText(place.decrypt(variable.name, value.content.value)) : "";
  }

  #prepare({ draft }: EffectOf<"prepare">, dispatch: Dispatch): Promise<void> {
    return this.#edit((editor) => dispatch({ type: "prepared", edit: editor.prepare(draft) }), dispatch);
  }

  #apply({ edit }: EffectOf<"apply">, dispatch: Dispatch): Promise<void> {
    return this.#edit(async (editor) => {
      await editor.apply(edit);
      dispatch({ type: "applied" });
    }, dispatch);
  }

  async #edit(work: (editor: Editor) => Promise<void> | void, dispatch: Dispatch): Promise<void> {
    try {
      const { editor } = await this.#open(this.#current, dispatch);
      if (!editor) throw new UsageError("it can only be read");
      await work(editor);
    } catch (error) {
      dispatch({ type: "refused", failure: toFailure(error) });
    }
  }

  async #compare({ place }: EffectOf<"compare">, dispatch: Dispatch): Promise<void> {
    try {
      await this.#closeDoubtful(place);
      const { source } = await this.#open(place, dispatch);
      const { entries } = await readEntries(source, [], () => {});
      dispatch({ type: "compared", place, entries });
    } catch (error) {
      this.#doubtful.add(place);
      dispatch({ type: "notCompared", place, failure: toFailure(error) });
    }
  }
}

const UNAVAILABLE = 503;

/** What the source itself says is wrong with it, though it answers. Whether a proxy lets that through is no concern here. */
async function problemOf(source: VariableSource): Promise<string | undefined> {
  try {
    await source.getHealth();
    return undefined;
  } catch (error) {
    return error instanceof ServerError && error.status === UNAVAILABLE ? error.message : undefined;
  }
}
