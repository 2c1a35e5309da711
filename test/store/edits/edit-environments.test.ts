import { describe, expect, it } from "vitest";
import { NotFoundError, UsageError } from "../../../src/kit/text/errors.js";
import {
  addEnvironment,
  addKey,
  copyValues,
  removeEnvironment,
  removeKey,
  renameEnvironment,
  replaceCredentials,
  rotateEnvironment,
  rotateKey,
} from "../../../src/store/edits/edit-environments.js";
import { checkData } from "../../../src/store/schema/parse-data.js";
import { DATA } from "../../support/data.js";

const NEW = { api_key: "new-key", api_secret: "new-secret" };
const NOW = Date.parse("2026-01-01T00:00:00.000Z");
const HOUR = 3_600_000;

describe("environments", () => {
  it("a new environment gets an id that was never used", () => {
    const earlier = { ...DATA, last_ids: { environments: 9, variables: 8, values: 19 } };
    const data = addEnvironment(earlier, { application: "shop", name: "staging" }, NEW);
    expect(data.environments.at(-1)).toEqual({
      id: 10,
      application: "shop",
      name: "staging",
      ...NEW,
    });
    expect(checkData(data)).toEqual(data);
  });

  it("an environment can't be added twice", () => {
    expect(() => addEnvironment(DATA, { application: "shop", name: "test" }, NEW)).toThrow(
      UsageError,
    );
  });

  it("removing an environment removes its values, but no definitions", () => {
    const data = removeEnvironment(DATA, "production");
    expect(data.environments.map(({ id }) => id)).toEqual([1, 2, 4]);
    expect(data.values.filter((value) => value.environment_id === 3)).toEqual([]);
    expect(data.variables).toEqual(DATA.variables);
  });

  it("a copy has the values of an environment as they are, under new ids", () => {
    const encrypted = "envbee:enc:v1:AAAA";
    const values = DATA.values.map((value) =>
      value.id === 19 ? { ...value, content: { value: encrypted } } : value,
    );
    const to = { application: "shop", name: "staging" };
    const added = addEnvironment({ ...DATA, values }, to, NEW);
    const data = copyValues(added, added.environments[1] as never, to);
    expect(data.variables).toEqual(DATA.variables);
    expect(data.values).toEqual([
      ...values,
      { id: 20, variable_id: 1, environment_id: 5, content: { value: encrypted } },
    ]);
    expect(checkData(data)).toEqual(data);
  });

  it("a copy in another application brings the definitions that it lacks, also those without a value", () => {
    const to = { application: "billing", name: "staging" };
    const added = addEnvironment(DATA, to, NEW);
    const data = copyValues(added, added.environments[0] as never, to);
    const definitions = (application: string) =>
      data.variables
        .filter((each) => each.application === application)
        .map(({ id: _, application: __, ...rest }) => rest);
    const ledger = { type: "STRING", name: "DATABASE_URL", description: "Ledger" };
    const others = definitions("shop").filter(({ name }) => name !== "DATABASE_URL");
    expect(definitions("billing")).toHaveLength(7);
    expect(definitions("billing")).toEqual(expect.arrayContaining([ledger, ...others]));
    expect(data.values.filter((value) => value.environment_id === 5)).toHaveLength(6);
    expect(checkData(data)).toEqual(data);
  });

  it("a copy is refused if a value is not of the type that the other application has", () => {
    const variables = DATA.variables.map((each) =>
      each.id === 8 ? { ...each, name: "DEBUG" } : each,
    );
    const to = { application: "billing", name: "staging" };
    const added = addEnvironment({ ...DATA, variables }, to, NEW);
    expect(() => copyValues(added, added.environments[0] as never, to)).toThrow(
      "the value for DEBUG is not a STRING",
    );
  });

  it("a renamed environment keeps its id, its credentials and its values", () => {
    const data = renameEnvironment(DATA, DATA.environments[1] as never, {
      application: "shop",
      name: "qa",
    });
    expect(data.environments[1]).toEqual({ ...DATA.environments[1], name: "qa" });
    expect(data.values).toBe(DATA.values);
    expect(checkData(data)).toEqual(data);
  });

  it.each([
    ["shop", "production", "already exists"],
    ["shop", "test", "already exists"],
    ["billing", "qa", "it can't have a name in another"],
  ])("an environment can't be renamed to %s/%s", (application, name, message) => {
    expect(() =>
      renameEnvironment(DATA, DATA.environments[1] as never, { application, name }),
    ).toThrow(message);
  });

  it("an environment must exist to be removed or rotated", () => {
    expect(() => removeEnvironment(DATA, "staging")).toThrow(NotFoundError);
    expect(() => rotateEnvironment(DATA, "staging", NEW, { now: NOW, grace: 0 })).toThrow(
      NotFoundError,
    );
    expect(() => rotateEnvironment(DATA, "development", NEW, { now: NOW, grace: 0 })).toThrow(
      UsageError,
    );
  });
});

describe("rotation of a named key", () => {
  const pair = { api_key: "ana-key", api_secret: "secret-of-ana" };
  const inHours = (hours: number) => new Date(NOW + hours * HOUR).toISOString();
  const rotated = (
    end: number | undefined,
    times: { grace: number; validUntil?: string },
    earlier: number[] = [],
  ) => {
    const previous = earlier.map((hours, index) => ({
      ...pair,
      api_key: `old-${index}`,
      valid_until: inHours(hours),
    }));
    const key = {
      name: "ana",
      ...pair,
      ...(end && { valid_until: inHours(end) }),
      ...(previous[0] && { previous }),
    };
    const data = rotateKey(addKey(DATA, "test", key), "test", "ana", NEW, { now: NOW, ...times });
    const changed = data.environments.find(({ name }) => name === "test")?.keys?.[0];
    return [
      changed?.valid_until,
      changed?.previous?.map(({ api_key, valid_until }) => [api_key, valid_until]),
    ];
  };

  it("the old pair ends with the key, if that is before the grace ends", () => {
    expect(rotated(5, { grace: 2 * HOUR })).toEqual([inHours(5), [["ana-key", inHours(2)]]]);
    expect(rotated(1, { grace: 2 * HOUR })).toEqual([inHours(1), [["ana-key", inHours(1)]]]);
  });

  it("a new end is for the new pair alone, whether it is later or earlier", () => {
    const times = { grace: 24 * HOUR, validUntil: inHours(99) };
    expect(rotated(1, times, [2])).toEqual([
      inHours(99),
      [
        ["ana-key", inHours(1)],
        ["old-0", inHours(1)],
      ],
    ]);
    expect(rotated(9, { grace: 24 * HOUR, validUntil: inHours(3) })).toEqual([
      inHours(3),
      [["ana-key", inHours(3)]],
    ]);
    expect(rotated(undefined, times)).toEqual([inHours(99), [["ana-key", inHours(24)]]]);
  });

  it("a new end revives no pair of an expired key", () => {
    expect(rotated(-1, { grace: HOUR, validUntil: inHours(9) }, [5])).toEqual([
      inHours(9),
      undefined,
    ]);
  });
});

describe("rotation", () => {
  const rotate = (data: typeof DATA, grace: number, now = NOW, pair = NEW) =>
    rotateEnvironment(data, "shop/development", pair, { now, grace });
  const [original] = DATA.environments;

  it("without grace leaves only the new pair", () => {
    expect(rotate(DATA, 0).environments[0]).toEqual({ ...original, ...NEW });
  });

  it("with grace keeps the old pair until it ends", () => {
    const data = rotate(DATA, HOUR);
    const previous = [
      { api_key: "dev-key", api_secret: "dev-secret", valid_until: "2026-01-01T01:00:00.000Z" },
    ];
    expect(data.environments[0]).toEqual({ ...original, ...NEW, previous });
    expect(checkData(data)).toEqual(data);
  });

  it("keeps earlier pairs only while they are valid", () => {
    const newest = { api_key: "newest-key", api_secret: "newest-secret" };
    const keys = (now: number) =>
      rotate(rotate(DATA, HOUR), HOUR, now, newest).environments[0]?.previous?.map(
        (pair) => pair.api_key,
      );
    expect(keys(NOW + HOUR / 2)).toEqual(["new-key", "dev-key"]);
    expect(keys(NOW + HOUR)).toEqual(["new-key"]);
  });

  it("without grace ends earlier grace too, as for a leaked pair", () => {
    expect(rotate(rotate(DATA, HOUR), 0).environments[0]).not.toHaveProperty("previous");
  });
});

describe("a named key", () => {
  const key = {
    name: "ana",
    api_key: "ana-key",
    api_secret: "ana-secret",
    valid_until: "2026-01-01T12:00:00.000Z",
  };
  const data = addKey(DATA, "shop/test", key);
  const keyOf = ({ environments }: typeof DATA) => environments.find(({ id }) => id === 2)?.keys;
  const rotate = (now: number, validUntil?: string) =>
    rotateKey(data, "shop/test", "ana", NEW, { now, grace: 0, validUntil });

  it("keeps its end when it is rotated, unless it gets another", () => {
    const rotated_at = new Date(NOW).toISOString();
    expect(keyOf(rotate(NOW))).toEqual([{ ...key, ...NEW, rotated_at }]);
    const later = "2027-01-01T00:00:00.000Z";
    expect(keyOf(rotate(NOW, later))).toEqual([{ ...key, ...NEW, rotated_at, valid_until: later }]);
    expect(() => rotate(NOW + 12 * HOUR)).toThrow(
      "expired at 2026-01-01T12:00:00.000Z: give it a new end",
    );
    expect(keyOf(rotate(NOW + 12 * HOUR, later))).toMatchObject([{ valid_until: later }]);
  });

  it("must exist to be rotated or removed", () => {
    expect(() => removeKey(data, "shop/test", "bob")).toThrow(
      'shop/test has no key "bob"; there is ana',
    );
    expect(removeKey(data, "shop/test", "ana")).toEqual(DATA);
  });
});

it("replaceCredentials replaces all credentials, removes rotated-out pairs and named keys, and changes nothing else", () => {
  const rotated = rotateEnvironment(DATA, "test", NEW, { now: NOW, grace: HOUR });
  const earlier = addKey(rotated, "production", {
    name: "ana",
    api_key: "ana-key",
    api_secret: "secret-of-ana",
  });
  let count = 0;
  const nextPair = () => ({ api_key: `key-${++count}`, api_secret: `secret-${count}` });
  const data = replaceCredentials(earlier, nextPair);
  const environments = DATA.environments.map(({ id, application, name }) => {
    return { id, application, name, api_key: `key-${id}`, api_secret: `secret-${id}` };
  });
  expect(data).toEqual({ ...DATA, environments });
});
