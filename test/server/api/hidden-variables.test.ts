import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { VARIABLE_TYPES } from "../../../src/model/variable.js";
import { startServer } from "../../../src/server/start-server.js";
import { Service } from "../../../src/service/service.js";
import type { Data, ValueRecord, VariableRecord } from "../../../src/store/data.js";
import { createMemoryStore } from "../../../src/store/memory/memory-store.js";
import { changingStore } from "../../support/changing-store.js";
import { edited } from "../../support/data.js";
import { DEV_HEADERS, get } from "../../support/http.js";
import { THOROUGH } from "../../support/measuring.js";
import { Random } from "../../support/random.js";
import { aRecord } from "../../support/records.js";

const ROUNDS = THOROUGH ? 150 : 30;
const NAMES = [
  "A",
  "AB",
  "B_1",
  "DB_URL",
  "DB_USER",
  "DEBUG",
  "PORT",
  "a.b",
  "a-b",
  "constructor",
  "__proto__",
  "X9",
];
const PATTERNS = [
  ...NAMES,
  "*",
  "?",
  "DB_*",
  "D*",
  "*_*",
  "[A-D]*",
  "[!D]*",
  "a?b",
  "*B*",
  "[z-a]",
  "NOTHING",
  "**1",
];
/** Headers that may differ. */
const OTHERS = /^(date|ratelimit-.*)$/i;

/** In its own words, not those of the matcher. */
function isMatch(name: string, pattern: string): boolean {
  const source = pattern
    .replace(/\[!/g, "[^")
    .replace(/\./g, "\\.")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  try {
    return new RegExp(`^(?:${source})$`, "s").test(name);
  } catch {
    return false;
  }
}

function randomVariable(random: Random, id: number, name: string): VariableRecord {
  const type = random.pick(VARIABLE_TYPES);
  const isStrict = type === "NUMBER" && random.below(2) === 0;
  return aRecord({
    ...{ id, type, name, description: random.text(random.below(5), "xyz") },
    ...(random.below(3) === 0 && { optional: true }),
    ...(random.below(3) === 0 && { secret: false }),
    ...(isStrict && { schema: { minimum: 5 } }),
  });
}

function randomContent(random: Random, { type }: VariableRecord): ValueRecord["content"] {
  const number = random.below(10);
  const values = {
    STRING: `text ${number}`,
    NUMBER: number,
    BOOLEAN: number > 4,
    JSON: { number },
  };
  return { value: values[type] };
}

/** Data of two environments; the key is of the first one. */
function randomData(random: Random, only: readonly string[]): Data {
  const ids = random.shuffle(Array.from({ length: 40 }, (_, index) => index + 1));
  const names = random.shuffle(NAMES).slice(0, 2 + random.below(NAMES.length - 1));
  const variables = names.map((name) => randomVariable(random, ids.pop() as number, name));
  const valueIds = random.shuffle(Array.from({ length: 60 }, (_, index) => index + 1));
  const values = variables.flatMap((variable) =>
    [1, 2]
      .filter(() => random.below(4) > 0)
      .map((environment_id) => ({
        ...{ id: valueIds.pop() as number, variable_id: variable.id, environment_id },
        content: randomContent(random, variable),
      })),
  );
  const key = { name: "ana", api_key: "ana-key", api_secret: "secret-of-ana", only };
  return {
    version: 1,
    environments: [
      {
        id: 1,
        application: "shop",
        name: "production",
        api_key: "k1",
        api_secret: "s1",
        keys: [key],
      },
      { id: 2, application: "shop", name: "test", api_key: "k2", api_secret: "s2" },
    ],
    variables: random.shuffle(variables),
    values: random.shuffle(values),
  };
}

/** The same data with random changes to what the key can't read. */
function changedOutside(random: Random, data: Data, isVisible: (name: string) => boolean): Data {
  const shown = new Set(data.variables.filter(({ name }) => isVisible(name)).map(({ id }) => id));
  const isShown = (value: ValueRecord) =>
    value.environment_id === 1 && shown.has(value.variable_id);
  const kept = data.variables.filter(({ id }) => shown.has(id));
  const hidden = data.variables.filter(({ id }) => !shown.has(id) && random.below(3) > 0);
  const taken = new Set([...kept, ...hidden].map(({ name }) => name));
  const free = NAMES.filter((name) => !taken.has(name) && !isVisible(name));
  const added = free
    .filter(() => random.below(2) === 0)
    .map((name, index) => randomVariable(random, 100 + index, name));
  const renamed = hidden.map((variable) => ({
    ...randomVariable(random, variable.id, variable.name),
  }));
  const variables = [...kept, ...renamed, ...added];
  const byId = new Map(variables.map((variable) => [variable.id, variable]));
  const others = [...renamed, ...added].flatMap((variable, index) =>
    random.below(3) === 0
      ? []
      : {
          id: 200 + index,
          variable_id: variable.id,
          environment_id: 1,
          content: randomContent(random, variable),
        },
  );
  const elsewhere = data.values
    .filter((value) => value.environment_id === 2 && random.below(2) === 0)
    .flatMap((value) => {
      const variable = byId.get(value.variable_id);
      return variable ? { ...value, content: randomContent(random, variable) } : [];
    });
  const [first, second] = data.environments as [Data["environments"][0], Data["environments"][0]];
  const ben = {
    name: "ben",
    api_key: "ben-key",
    api_secret: "secret-of-ben",
    only: [random.pick(PATTERNS)],
  };
  const third = { id: 3, application: "shop", name: "third", api_key: "k3", api_secret: "s3" };
  return {
    ...data,
    environments: [
      { ...first, api_secret: random.hex(8), keys: random.shuffle([...(first.keys ?? []), ben]) },
      { ...second, name: random.hex(4) },
      third,
    ],
    variables: random.shuffle(variables),
    values: random.shuffle([...data.values.filter(isShown), ...others, ...elsewhere]),
  };
}

/** A data file that has nothing but what the key can read. */
function nothingElse(data: Data, isVisible: (name: string) => boolean): Data {
  const variables = data.variables.filter(({ name }) => isVisible(name));
  const ids = new Set(variables.map(({ id }) => id));
  const [first] = data.environments as [Data["environments"][0]];
  const keys = first.keys?.map((key) => ({ ...key, only: ["*"] })) ?? [];
  return {
    ...data,
    environments: [{ ...first, keys }],
    variables,
    values: data.values.filter(
      ({ variable_id, environment_id }) => environment_id === 1 && ids.has(variable_id),
    ),
  };
}

function targetsFor(random: Random, data: Data): string[] {
  const name = () => random.pick(NAMES);
  const page = `limit=${1 + random.below(4)}&offset=${random.below(4)}`;
  return [
    "/v1/variables",
    "/v1/variables-values",
    "/v1/variables-values-by-name",
    `/v1/variables-values-by-name?names=${name()},${name()}`,
    `/v1/variables?${page}`,
    `/v1/variables-values?${page}`,
    ...data.variables.slice(0, 4).map(({ id }) => `/v1/variables/${id}`),
    ...data.values.slice(0, 4).map(({ id }) => `/v1/variables-values/${id}`),
    `/v1/variables/${100 + random.below(3)}`,
    `/v1/variables-values/${200 + random.below(3)}`,
    ...[name(), name(), name()].flatMap((each) =>
      ["", "/content"].map((end) => `/v1/variables-values-by-name/${each}${end}`),
    ),
    "/v1/check",
    "/v1/nothing",
  ];
}

it(`nothing outside only changes any byte of an answer, in ${ROUNDS} rounds`, async () => {
  const random = new Random(30);
  const store = changingStore(createMemoryStore(randomData(random, ["*"])).data);
  // Each write is seen at once.
  const replace = (data: Data) => {
    store.replace(data);
    Object.assign(store, {
      version: `${random.below(1_000)}-${random.hex(22)}`,
      age: random.below(2_500),
    });
  };
  const server = await startServer(
    new Service(store, Date.now),
    { port: 0, rateLimit: 0 },
    Date.now,
  );
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  onTestFinished(() => server.close());
  const ask = async (target: string): Promise<string> => {
    const headers = { "x-api-key": "ana-key", "x-api-secret": "secret-of-ana" };
    const sent = request({ agent, host: "127.0.0.1", port: server.port, path: target, headers });
    const [answer] = (await once(sent.end(), "response")) as [IncomingMessage];
    const { rawHeaders, statusCode } = answer;
    const kept = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 && !OTHERS.test(name) ? [`${name}: ${rawHeaders[index + 1]}`] : [],
    );
    return [statusCode, ...kept, await text(answer)].join("\n");
  };
  const statuses = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const only = Array.from({ length: random.below(4) }, () => random.pick(PATTERNS));
    const isVisible = (name: string) => only.some((pattern) => isMatch(name, pattern));
    const data = randomData(random, only);
    const targets = targetsFor(random, data);
    const answersOf = async (served: Data) => {
      replace(served);
      const answers: string[] = [];
      for (const target of targets) answers.push(await ask(target));
      return answers;
    };
    const answers = await answersOf(data);
    expect(
      await answersOf(changedOutside(random, data, isVisible)),
      `round ${round}: ${only}`,
    ).toEqual(answers);
    expect(await answersOf(nothingElse(data, isVisible)), `round ${round}: ${only}`).toEqual(
      answers,
    );
    for (const answer of answers) statuses.add(answer.slice(0, 3));
  }
  expect([...statuses].toSorted()).toEqual(["200", "404"]);
});

it("the version that a limited key gets changes with what it can read, and is the same on all replicas", async () => {
  const data = (hidden: string, shown: string) =>
    edited((copy) => {
      copy.environments[0].keys = [
        { name: "ana", api_key: "ana-key", api_secret: "secret-of-ana", only: ["PORT"] },
      ];
      for (const variable of copy.variables)
        if (variable.id <= 2) variable.description = variable.name === "PORT" ? shown : hidden;
    }) as Data;
  const versions = async (served: Data, version: string) => {
    const store = Object.assign(changingStore(served), { version, age: 0 });
    const server = await startServer(new Service(store, Date.now), { port: 0 }, Date.now);
    onTestFinished(() => server.close());
    const keys = [DEV_HEADERS, { "x-api-key": "ana-key", "x-api-secret": "secret-of-ana" }];
    const found: unknown[] = [];
    for (const headers of keys)
      for (const target of [
        "/v1/variables",
        "/v1/variables/999",
        "/v1/variables?limit=0",
        "/v1/nothing",
      ])
        found.push((await get(server, target, headers)).headers["appvars-version"]);
    expect(new Set(found).size).toBe(2);
    return [found[0], found[4]];
  };
  const [[all, limited], [otherAll, same], [, other]] = [
    await versions(data("a", "b"), "7-write"),
    await versions(data("hidden", "b"), "12-another"),
    await versions(data("a", "shown"), "8-third"),
  ];
  expect([all, otherAll, same]).toEqual(["7-write", "12-another", limited]);
  expect(limited).toMatch(/^1-[\w-]{22}$/);
  expect(other).toMatch(/^1-[\w-]{22}$/);
  expect(other).not.toBe(limited);
});
