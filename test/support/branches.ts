import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../src/kit/text/strict-json.js";
import {
  allKeyPairs,
  type Environment,
  type NamedKey,
  qualifiedName,
} from "../../src/model/environment.js";
import { isPublic, type VariableType, valueFitsType } from "../../src/model/variable.js";
import { FileSealing } from "../../src/store/bytes/file-sealing.js";
import { type Data, NO_DATA, withLastIds } from "../../src/store/data.js";
import {
  addEnvironment,
  addKey,
  removeEnvironment,
  removeKey,
  renameEnvironment,
  rotateEnvironment,
  rotateKey,
} from "../../src/store/edits/edit-environments.js";
import {
  type Assignment,
  renameVariable,
  setValues,
  unsetValues,
} from "../../src/store/edits/edit-values.js";
import type { Conflict } from "../../src/store/edits/merge-data.js";
import { checkData } from "../../src/store/schema/parse-data.js";
import { Random } from "./random.js";

const APPLICATIONS = ["default", "shop"];
const TYPES: VariableType[] = ["STRING", "NUMBER", "JSON"];

/** Data, and the names that things have in it by those that they had at first. */
export interface Branch {
  data: Data;
  names: Map<string, string>;
}

/** A change of one thing, which can be made on any branch that has it. */
interface Change {
  /**
   * What it changes, each at most once on a branch: a field or value, of the variable or
   * environment it begins with.
   */
  readonly touched: readonly string[];
  apply(branch: Branch): Data;
}

/** Variables with values in three environments of each application. */
function randomData(random: Random, variables: number): Data {
  let data = NO_DATA;
  for (const application of APPLICATIONS)
    for (const name of ["dev", "test", "prod"]) {
      data = addEnvironment(data, { application, name }, randomPair(random));
      data = addKey(data, `${application}/${name}`, {
        name: "ana",
        ...randomPair(random),
        only: ["V*"],
      });
    }
  for (const environment of data.environments) {
    const assignments: Assignment[] = [];
    for (let index = 0; index < variables; index++)
      if (
        APPLICATIONS[index % 2] === environment.application &&
        (random.below(4) > 0 || environment.name === "dev")
      )
        assignments.push({
          name: `V${index}`,
          ...randomValue(random, TYPES[index % 3] as VariableType),
          ...(index % 5 === 0 && { secret: false }),
        });
    data = setValues(data, environment, assignments);
  }
  return checkData(data);
}

/** A branch on which so many things were changed. @param isMine the things that it changes */
function randomBranch(
  base: Data,
  random: Random,
  count: number,
  isMine: (thing: string) => boolean,
) {
  const branch: Branch = { data: base, names: new Map() };
  const done: Change[] = [];
  const touched = new Set<string>();
  for (let tries = 0; done.length < count && tries < count * 10; tries++) {
    const change = randomChange(base, random);
    if (change.touched.some((cell) => touched.has(cell) || !isMine(cell.split(" ")[0] as string)))
      continue;
    const [thing] = (change.touched[0] as string).split(" ");
    // With another name, description and values, it would be another variable.
    const replaced = ["name", "description"].filter((field) =>
      touched.has(`${thing} ${field}`),
    ).length;
    if (
      replaced === 2 ||
      (replaced === 1 && /(name|description)$/.test(change.touched[0] as string))
    )
      continue;
    if (applyChange(branch, change)) done.push(change);
    for (const cell of change.touched) touched.add(cell);
  }
  // To unset the last value removes a variable, also one that is changed later.
  const isUnset = ({ touched: cells }: Change) => cells.some((cell) => cell.endsWith(" unset"));
  const changes = [...done.filter((each) => !isUnset(each)), ...done.filter(isUnset)];
  const ordered: Branch = { data: base, names: new Map() };
  const made = changes.filter((change) => applyChange(ordered, change));
  return { ...ordered, changes: made };
}

/** @returns false if the branch doesn't have what would be changed */
export function applyChange(branch: Branch, change: Change): boolean {
  const names = new Map(branch.names);
  try {
    branch.data = withLastIds(branch.data, change.apply(branch));
    return true;
  } catch {
    branch.names = names;
    return false;
  }
}

function randomPair(random: Random) {
  return { api_key: random.hex(32), api_secret: random.hex(64) };
}

function randomValue(random: Random, type: VariableType): { type: VariableType; value: JsonValue } {
  const number = random.below(2 ** 31);
  return {
    type,
    value: { STRING: `text ${number}`, NUMBER: number, BOOLEAN: true, JSON: { number } }[type],
  };
}

const nameOf = ({ names }: Branch, thing: string) => names.get(thing) ?? thing;

function environmentOf(branch: Branch, thing: string) {
  const found = branch.data.environments.find(
    (each) => qualifiedName(each) === nameOf(branch, thing),
  );
  if (!found) throw new Error(`no ${thing}`);
  return found;
}

function variableOf(branch: Branch, thing: string) {
  const found = branch.data.variables.find((each) => qualifiedName(each) === nameOf(branch, thing));
  if (!found) throw new Error(`no ${thing}`);
  return found;
}

function randomChange(base: Data, random: Random): Change {
  const variable = random.pick(base.variables);
  const own = base.environments.filter(({ application }) => application === variable.application);
  const environment = random.pick(own);
  const [v, e] = [qualifiedName(variable), qualifiedName(environment)];
  const fresh = `N${random.below(2 ** 31)}`;
  const { application } = variable;
  const set = (assignment: Partial<Assignment>, place: string): Change["apply"] => {
    return (on) => {
      const { name, type } = variableOf(on, v);
      // Every environment has the definition.
      const any = on.data.environments.find((each) => each.application === application);
      const target = assignment.value === undefined && any ? any : environmentOf(on, place);
      return setValues(on.data, target, [{ name, value: undefined, ...assignment, type }]);
    };
  };
  const renamed = (thing: string) => (on: Branch) => on.names.set(thing, `${application}/${fresh}`);
  const kinds: Record<string, () => Change> = {
    value: () => ({
      touched: [`${v} value ${e}`, `${e} value ${v}`],
      apply: set(randomValue(random, variable.type), e),
    }),
    description: () => ({ touched: [`${v} description`], apply: set({ description: fresh }, e) }),
    optional: () => ({ touched: [`${v} optional`], apply: set({ optional: true }, e) }),
    secret: () => ({
      touched: [`${v} secret`],
      apply: set({ secret: variable.secret === false }, e),
    }),
    schema: () => ({ touched: [`${v} schema`], apply: set({ schema: { title: fresh } }, e) }),
    rename: () => ({
      touched: [`${v} name`],
      apply: (on) => {
        const data = renameVariable(on.data, application, variableOf(on, v).name, fresh);
        renamed(v)(on);
        return data;
      },
    }),
    unset: () => ({
      touched: [`${v} value ${e}`, `${e} value ${v}`, `${v} unset`],
      apply: (on) => unsetValues(on.data, [environmentOf(on, e)], [variableOf(on, v).name]),
    }),
    remove: () => ({
      touched: [`${v} *`],
      apply: (on) => {
        const { id } = variableOf(on, v);
        const variables = on.data.variables.filter((each) => each.id !== id);
        return {
          ...on.data,
          variables,
          values: on.data.values.filter(({ variable_id }) => variable_id !== id),
        };
      },
    }),
    type: () => {
      const type = TYPES[(TYPES.indexOf(variable.type) + 1) % TYPES.length] as VariableType;
      const here = base.values.filter(({ variable_id }) => variable_id === variable.id);
      const values = here.map(({ environment_id: id }) => ({ id, ...randomValue(random, type) }));
      return {
        touched: [`${v} *`, ...own.map((each) => `${qualifiedName(each)} value ${v}`)],
        apply: (on) => {
          const { name } = variableOf(on, v);
          const places = on.data.environments.filter(({ id }) =>
            values.some((each) => each.id === id),
          );
          const [any] = on.data.environments.filter((each) => each.application === application);
          if (places.length === 0 && any)
            return setValues(on.data, any, [{ name, type, value: undefined }]);
          let data = on.data;
          for (const place of places) {
            const { value } = values.find(({ id }) => id === place.id) as { value: JsonValue };
            data = setValues(data, place, [{ name, type, value }], places);
          }
          return data;
        },
      };
    },
    add: () => {
      // Some by both, with the same definition.
      const isShared = random.below(4) === 0;
      const name = isShared ? `SHARED${random.below(40)}` : fresh;
      const value = isShared && random.below(2) === 0 ? "the same" : fresh;
      return {
        touched: [`${application}/${name} *`, `${e} value ${application}/${name}`],
        apply: (on) => setValues(on.data, environmentOf(on, e), [{ name, type: "STRING", value }]),
      };
    },
  };
  const rare: Record<string, () => Change> = {
    "env rotate": () => {
      const pair = randomPair(random);
      return {
        touched: [`${e} credentials`],
        apply: (on) =>
          rotateEnvironment(on.data, nameOf(on, e), pair, { now: 0, grace: 1 + random.below(1) }),
      };
    },
    "env rename": () => ({
      touched: [`${e} name`],
      apply: (on) => {
        const data = renameEnvironment(on.data, environmentOf(on, e), { application, name: fresh });
        renamed(e)(on);
        return data;
      },
    }),
    "env add": () => {
      const pair = randomPair(random);
      const { value } = randomValue(random, variable.type);
      return {
        touched: [`${application}/${fresh} *`, `${v} value ${application}/${fresh}`],
        apply: (on) => {
          const added: Omit<Environment, "id"> = { application, name: fresh };
          const data = addEnvironment(on.data, added, pair);
          const now = data.variables.find((each) => qualifiedName(each) === nameOf(on, v));
          const place = environmentOf({ ...on, data }, `${application}/${fresh}`);
          return now && valueFitsType(value, now.type)
            ? setValues(data, place, [{ value, name: now.name, type: now.type }])
            : data;
        },
      };
    },
    "key add": () => {
      const key = {
        name: random.below(2) === 0 ? `k${random.below(9)}` : fresh,
        ...randomPair(random),
      };
      return {
        touched: [`${e} key ${key.name}`],
        apply: (on) => addKey(on.data, nameOf(on, e), key),
      };
    },
    "key rotate": () => {
      const pair = randomPair(random);
      return {
        touched: [`${e} key ana`],
        apply: (on) => rotateKey(on.data, nameOf(on, e), "ana", pair, { now: 0, grace: 1 }),
      };
    },
    "key remove": () => ({
      touched: [`${e} key ana`],
      apply: (on) => removeKey(on.data, nameOf(on, e), "ana"),
    }),
    "env remove": () => ({
      touched: [`${e} *`],
      apply: (on) => {
        // One stays, in which definitions can be changed.
        if (environment.name === "prod") throw new Error("the last one");
        return removeEnvironment(on.data, nameOf(on, e));
      },
    }),
  };
  const chosen = random.below(15) === 0 ? rare : kinds;
  return (random.pick(Object.values(chosen)) as () => Change)();
}

/** Whether two branches change the same, so that a merge may report a conflict. */
export function overlap(ours: readonly Change[], theirs: readonly Change[]): Set<string> {
  const cells = (changes: readonly Change[]) => {
    const byThing = new Map<string, Set<string>>();
    for (const cell of changes.flatMap((change) => change.touched)) {
      const [thing = "", ...rest] = cell.split(" ");
      byThing.set(thing, (byThing.get(thing) ?? new Set()).add(rest.join(" ")));
    }
    return byThing;
  };
  const [own, other] = [cells(ours), cells(theirs)];
  const both = [...own].filter(([thing, touched]) => {
    const others = other.get(thing);
    if (!others) return false;
    // A removed variable or another type concerns all of its values; unset by both may remove it.
    if (["*", "unset"].some((all) => touched.has(all) || others.has(all))) return true;
    // A value must not be published by a merge.
    const isValue = (cell: string) => cell.startsWith("value ");
    const isPublished = [touched, others].some((one, index, [a, b]) => {
      return one.has("secret") && [...((index === 0 ? b : a) as Set<string>)].some(isValue);
    });
    return isPublished || [...touched].some((each) => others.has(each));
  });
  return new Set(both.map(([thing]) => thing));
}

/**
 * Everything in the data but ids, by the names that things had at first: a thing, or the two of a
 * value.
 */
export function contentOf(data: Data, ...branches: Branch[]): Map<string, unknown> {
  const { environments, variables, values, last_ids: _, ...settings } = data;
  const first = new Map(
    branches.flatMap(({ names }) => [...names].map(([before, now]) => [now, before])),
  );
  const thing = (record: Environment) => first.get(qualifiedName(record)) ?? qualifiedName(record);
  const things = (records: readonly Environment[]) =>
    new Map(records.map((record) => [record.id, thing(record)]));
  const [variable, environment] = [things(variables), things(environments)];
  const used = new Set(values.map(({ variable_id }) => variable_id));
  const content = new Map<string, unknown>([["", settings]]);
  for (const { id, keys = [], ...record } of environments) {
    content.set(`${environment.get(id)}`, record);
    for (const key of keys) content.set(`${environment.get(id)} ${key.name}`, key);
  }
  // What becomes of the definition of a variable without values depends on the order.
  for (const { id, ...record } of variables)
    if (used.has(id)) content.set(`${variable.get(id)}`, record);
  for (const { variable_id, environment_id, content: value } of values)
    content.set(`${variable.get(variable_id)} ${environment.get(environment_id)}`, value);
  return content;
}

/** What differs in content, and no conflict is about. */
export function unreported(
  one: Map<string, unknown>,
  other: Map<string, unknown>,
  conflicts: readonly Conflict[],
) {
  const records = conflicts.map(({ record }) =>
    record.replace(/^(variable|environment|key) /, "").split(" in "),
  );
  const isKey = (things: string[]) => !things[0]?.includes("/");
  const reported = new Set(
    records.map((things) => (isKey(things) ? things.reverse() : things).join(" ")),
  );
  const hasEnvironment = conflicts.some(({ record }) => record.startsWith("environment "));
  const isReported = (key: string) =>
    [key, ...key.split(" ")].some((each) => reported.has(each)) ||
    // Of its variable, or a definition without values.
    [...reported].some((each) => each.startsWith(`${key} `)) ||
    (hasEnvironment && !(one.has(key) && other.has(key)));
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter(
    (key) => !isDeepStrictEqual(one.get(key), other.get(key)) && !isReported(key),
  );
}

/** A key file. */
export const KEYS = "0123456789abcdef0123456789abcdef\n";

/** The content of a sealed file. */
export function openSealed(content: Data, keys = KEYS): Data {
  return new FileSealing(keys).open(content);
}

/**
 * The contents of sealed files with these branches: what a branch has not changed has the sealed
 * text of the base.
 */
export function sealedBranches(base: Data, ...branches: Data[]): Data[] {
  const sealed = new FileSealing(KEYS, "sealed").seal(base);
  const sealBranch = (data: Data) => {
    const sealing = new FileSealing(KEYS);
    sealing.open(sealed);
    return checkData(sealing.seal(data));
  };
  return [sealed, ...branches.map(sealBranch)];
}

/**
 * The values and API secrets of a file by what they are bound to, in clear or sealed; those of
 * public variables are left out.
 */
export function secretsOf({ environments, variables, values }: Data): Map<string, JsonValue> {
  const secrets = new Map<string, JsonValue>();
  for (const each of environments)
    for (const [name, key] of [
      ["", each] as const,
      ...(each.keys ?? []).map((key) => [key.name, key] as const),
    ])
      for (const pair of allKeyPairs(key)) {
        const { api_key, api_secret, only, valid_until } = pair as NamedKey;
        secrets.set(
          `${qualifiedName(each)} ${name} ${api_key} ${JSON.stringify([only, valid_until])}`,
          api_secret,
        );
      }
  for (const { variable_id, environment_id, content } of values) {
    const variable = variables.find(({ id }) => id === variable_id);
    const environment = environments.find(({ id }) => id === environment_id);
    if (variable && environment && !isPublic(variable))
      secrets.set(`${qualifiedName(environment)} ${variable.name}`, content.value);
  }
  return secrets;
}

/** Two branches of the same data. @param isApart whether each changes things of its own */
export function randomRound(seed: number, count: number, isApart: boolean) {
  const random = new Random(seed);
  const base = randomData(random, 60);
  const isMine = (thing: string, number: number) =>
    // New ones belong to their branch.
    !isApart ||
    /\/N/.test(thing) ||
    [...thing].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 2 === number;
  const branch = (number: number) =>
    randomBranch(base, random, count / 2, (thing) => isMine(thing, number));
  return { base, ours: branch(0), theirs: branch(1) };
}
