import { NotFoundError } from "../domain/errors.js";
import { type Page, type PageRequest, pageBounds } from "../domain/page.js";
import { ROUTES } from "../domain/routes.js";
import type { VariableReader } from "../domain/source.js";
import { checkId, isVariableName, type ValueContent, type Variable, type VariableValue } from "../domain/variable.js";
import { type Decoder, decodeContent, decodeOne, decodePage, decodeValue, decodeVariable } from "./decode.js";

export abstract class RemoteReader implements VariableReader {
  /** Decodes the answer to a GET. @param target path and query */
  protected abstract get<T>(target: string, decode: Decoder<T>): Promise<T>;

  async listVariables(page: PageRequest = {}): Promise<Page<Variable>> {
    const bounds = pageBounds(page);
    return this.get(withPage(ROUTES.variables, bounds), decodePage(decodeVariable, bounds, "name"));
  }

  async getVariable(id: number): Promise<Variable> {
    return this.get(withId(ROUTES.variable, id), decodeOne(decodeVariable, id));
  }

  async listValues(page: PageRequest = {}): Promise<Page<VariableValue>> {
    const bounds = pageBounds(page);
    return this.get(withPage(ROUTES.values, bounds), decodePage(decodeValue, bounds, "variable_id"));
  }

  async getValue(id: number): Promise<VariableValue> {
    return this.get(withId(ROUTES.value, id), decodeOne(decodeValue, id));
  }

  async getValueByName(name: string): Promise<VariableValue> {
    return this.get(withName(ROUTES.valueByName, name), decodeValue);
  }

  async getContentByName(name: string): Promise<ValueContent> {
    return this.get(withName(ROUTES.contentByName, name), decodeContent);
  }
}

function withPage(route: string, { limit, offset }: Required<PageRequest>): string {
  return `${route}?limit=${limit}&offset=${offset}`;
}

function withId(route: string, id: number): string {
  return route.replace(":id", String(checkId(id)));
}

/** An invalid name does not exist, and could have a special meaning in a path. */
function withName(route: string, name: string): string {
  if (!isVariableName(name)) throw new NotFoundError();
  return route.replace(":name", name);
}
