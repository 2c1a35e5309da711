import { NotFoundError, ServerError } from "../domain/errors.js";
import { checkId } from "../domain/id.js";
import { type Page, type PageRequest, pageBounds } from "../domain/page.js";
import { ROUTES } from "../domain/routes.js";
import type { Health, VariableSource } from "../domain/source.js";
import { isVariableName, type ValueContent, type Variable, type VariableValue } from "../domain/variable.js";
import type { AnswerCache } from "./answer-cache.js";
import { type AuthScheme, authHeaders, type ClientCredentials } from "./auth-headers.js";
import { type Decoder, decodeContent, decodePage, decodeValue, decodeVariable } from "./decode.js";
import { interpret, interpretHealth } from "./interpret.js";
import { type RetryOptions, type WaitBudget, withRetries } from "./retry.js";
import type { HttpResponse, Transport } from "./transport.js";

export interface ClientDependencies extends Omit<RetryOptions, "budget" | "clock"> {
  transport: Transport;
  credentials: ClientCredentials;
  auth: AuthScheme;
  /** Unix time in milliseconds. */
  clock: () => number;
  /** What the next call may spend on waiting: a new budget, or the one that all calls share. */
  nextBudget: () => WaitBudget;
  /** Called when the client is closed: it has to end what `sleep` began. */
  onClose: () => void;
  /** What was answered before, to ask only whether it is still so; undefined to ask anew each time. */
  answers: AnswerCache | undefined;
  /** Told of every answer. */
  onResponse: (exchange: Exchange) => void;
}

/** A request and its answer, without any value. */
interface Exchange {
  target: string;
  status: number;
  headers: HttpResponse["headers"];
  milliseconds: number;
}

/** The variables of one environment, from a server over signed HTTP. */
export class Client implements VariableSource {
  readonly #deps: ClientDependencies;

  constructor(dependencies: ClientDependencies) {
    this.#deps = dependencies;
  }

  async listVariables(page: PageRequest = {}): Promise<Page<Variable>> {
    return this.#get(ROUTES.variables + pageQuery(page), decodePage(decodeVariable));
  }

  async getVariable(id: number): Promise<Variable> {
    return this.#get(withId(ROUTES.variable, id), decodeVariable);
  }

  async listValues(page: PageRequest = {}): Promise<Page<VariableValue>> {
    return this.#get(ROUTES.values + pageQuery(page), decodePage(decodeValue));
  }

  async getValue(id: number): Promise<VariableValue> {
    return this.#get(withId(ROUTES.value, id), decodeValue);
  }

  async getValueByName(name: string): Promise<VariableValue> {
    return this.#get(withName(ROUTES.valueByName, name), decodeValue);
  }

  async getContentByName(name: string): Promise<ValueContent> {
    return this.#get(withName(ROUTES.contentByName, name), decodeContent);
  }

  async getHealth(): Promise<Health> {
    const { healthy, health } = await this.#retrying(async () => interpretHealth(await this.#send(ROUTES.health, {})));
    if (!healthy) throw new ServerError(health.message, 503);
    return health;
  }

  close(): Promise<void> {
    this.#deps.onClose();
    return this.#deps.transport.close();
  }

  #get<T>(target: string, decode: Decoder<T>): Promise<T> {
    const { auth, credentials, clock, answers } = this.#deps;
    // Signed anew for each try: a signature ages.
    return this.#retrying(async () => {
      const headers = authHeaders(auth, credentials, { timestamp: clock(), method: "GET", route: target });
      const response = await this.#send(target, { ...headers, ...answers?.condition(target) });
      if (!answers) return interpret(response, decode);
      return answers.answer(target, response, () => interpret(response, decode));
    });
  }

  #retrying<T>(attempt: () => Promise<T>): Promise<T> {
    return withRetries(attempt, { ...this.#deps, budget: this.#deps.nextBudget() });
  }

  async #send(target: string, headers: Record<string, string>): Promise<HttpResponse> {
    const { transport, clock, onResponse } = this.#deps;
    const startedAt = clock();
    const response = await transport.get(target, { ...headers, accept: "application/json" });
    const { status, headers: received } = response;
    onResponse({ target, status, headers: received, milliseconds: clock() - startedAt });
    return response;
  }
}

function pageQuery(page: PageRequest): string {
  const { limit, offset } = pageBounds(page);
  return `?limit=${limit}&offset=${offset}`;
}

function withId(route: string, id: number): string {
  return route.replace(":id", String(checkId(id)));
}

/** A name that breaks the rule for names can't exist, and might mean something else in a path. */
function withName(route: string, name: string): string {
  if (!isVariableName(name)) throw new NotFoundError();
  return route.replace(":name", name);
}
