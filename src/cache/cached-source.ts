import { GATEWAY_STATUSES, NotFoundError, ServerError, UnauthorizedError, UnreachableError } from "../domain/errors.js";
import { type PageRequest, pageBounds } from "../domain/page.js";
import type { Health, VariableSource } from "../domain/source.js";
import type { AnswerStore } from "./answer-folder.js";
import type { AnswerRequest } from "./answer-keys.js";
import type { KeptAnswer } from "./sealed-answer.js";

/** So long after a failure to reach the server, what is kept is served without another try. */
const PAUSE_MS = 5_000;

export interface CachedSourceOptions {
  /** Asked where there is nothing to fall back on; it may try for long. */
  patient: VariableSource;
  /** The same source, asked where there is; it tries once. */
  brisk: VariableSource;
  answers: AnswerStore;
  /** Seconds. */
  maxAge: number;
  /** Unix time in milliseconds. */
  clock: () => number;
  /** Told, once for requests under way together, that kept answers were served: why, and the age in ms of the oldest. */
  onServed: (reason: Error, age: number) => void;
  /** Told, once, that answers can't be kept or removed. */
  onFailure: (error: unknown) => void;
}

/**
 * A source that keeps the last answer to each request, and serves it when the source can't be reached and the answer is
 * not too old. What is not found any more is removed, and all of it when the credentials are refused.
 */
export class CachedSource implements VariableSource {
  readonly #options: CachedSourceOptions;
  #asking = 0;
  #served: { reason: Error; oldest: number } | undefined;
  #told = false;
  #failed = false;
  #outage: { reason: Error; until: number } | undefined;

  constructor(options: CachedSourceOptions) {
    this.#options = options;
  }

  async listVariables(page: PageRequest = {}) {
    return this.#answer(pageKey("listVariables", page), (source) => source.listVariables(page));
  }

  getVariable(id: number) {
    return this.#answer(["getVariable", id], (source) => source.getVariable(id));
  }

  async listValues(page: PageRequest = {}) {
    return this.#answer(pageKey("listValues", page), (source) => source.listValues(page));
  }

  getValue(id: number) {
    return this.#answer(["getValue", id], (source) => source.getValue(id));
  }

  getValueByName(name: string) {
    return this.#answer(["getValueByName", name], (source) => source.getValueByName(name));
  }

  getContentByName(name: string) {
    return this.#answer(["getContentByName", name], (source) => source.getContentByName(name));
  }

  /** Health is of now, and never kept. */
  getHealth(): Promise<Health> {
    return this.#options.patient.getHealth();
  }

  async close(): Promise<void> {
    await Promise.all([this.#options.patient.close(), this.#options.brisk.close()]);
  }

  async #answer<T>(request: AnswerRequest, ask: (source: VariableSource) => Promise<T>): Promise<T> {
    this.#asking++;
    try {
      const kept = await this.#options.answers.read(request);
      if (!this.#isFresh(kept)) return await this.#ask(request, ask, this.#options.patient);
      const outage = this.#outage;
      if (outage && this.#options.clock() < outage.until) return this.#serve(kept, outage.reason);
      return await this.#ask(request, ask, this.#options.brisk).catch((error: unknown) => {
        if (!isOutage(error) || !this.#isFresh(kept)) throw error;
        this.#outage = { reason: error, until: this.#options.clock() + PAUSE_MS };
        return this.#serve<T>(kept, error);
      });
    } finally {
      if (--this.#asking === 0) this.#tellOfServed();
    }
  }

  async #ask<T>(
    request: AnswerRequest,
    ask: (source: VariableSource) => Promise<T>,
    source: VariableSource,
  ): Promise<T> {
    const { answers, clock } = this.#options;
    try {
      const answer = await ask(source);
      this.#told = false;
      await this.#trying(answers.write(request, { answer, savedAt: clock() }));
      return answer;
    } catch (error) {
      if (error instanceof NotFoundError) await this.#trying(answers.remove(request));
      if (error instanceof UnauthorizedError) await this.#trying(answers.clear());
      throw error;
    }
  }

  /** One from the future was made under a clock that was wrong, then or now: its age can't be told. */
  #isFresh(kept: KeptAnswer | undefined): kept is KeptAnswer {
    const age = kept ? this.#options.clock() - kept.savedAt : -1;
    return age >= 0 && age <= this.#options.maxAge * 1_000;
  }

  #serve<T>({ answer, savedAt }: KeptAnswer, reason: Error): T {
    this.#served = { reason, oldest: Math.min(savedAt, this.#served?.oldest ?? savedAt) };
    return answer as T;
  }

  #tellOfServed(): void {
    const served = this.#served;
    this.#served = undefined;
    if (!served || this.#told) return;
    this.#told = true;
    this.#options.onServed(served.reason, this.#options.clock() - served.oldest);
  }

  /** A cache that can't be written costs what it could save, and nothing else. */
  async #trying(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!this.#failed) this.#options.onFailure(error);
      this.#failed = true;
    });
  }
}

function pageKey(method: string, page: PageRequest): AnswerRequest {
  const { limit, offset } = pageBounds(page);
  return [method, limit, offset];
}

/** To the one who asks it is the same whether the way to the server ends before a proxy or behind it. */
function isOutage(error: unknown): error is Error {
  if (error instanceof ServerError) return GATEWAY_STATUSES.includes(error.status);
  return error instanceof UnreachableError;
}
