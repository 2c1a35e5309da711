import { describe, expect, it } from "vitest";
import { NAMED_VALUES, VALUES, VARIABLES } from "../../contract/development.js";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { get } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

describe("the data endpoints answer with exactly the fields of the API", () => {
  it.each([
    // All variables of the application, also without a value; only the values of this environment.
    ["/v1/variables", { metadata: { limit: 50, offset: 0, total: 7 }, data: VARIABLES }],
    ["/v1/variables-values", { metadata: { limit: 50, offset: 0, total: 6 }, data: VALUES }],
    ["/v1/variables/1", VARIABLES[0]],
    ["/v1/variables/7", VARIABLES[6]],
    ["/v1/variables-values/11", VALUES[0]],
    ["/v1/variables-values/16", VALUES[5]],
    ["/v1/variables-values-by-name/DATABASE_URL", VALUES[0]],
    ["/v1/variables-values-by-name/PORT", VALUES[1]],
    ["/v1/variables-values-by-name/DEBUG", VALUES[2]],
    ["/v1/variables-values-by-name/FLAGS", VALUES[3]],
    ["/v1/variables-values-by-name/__proto__", VALUES[4]],
    ["/v1/variables-values-by-name/%44EBUG", VALUES[2]],
    ["/v1/variables-values-by-name/DATABASE_URL/content", { value: "postgres://localhost/dev" }],
    ["/v1/variables-values-by-name/PORT/content", { value: 3000 }],
    ["/v1/variables-values-by-name/DEBUG/content", { value: true }],
    ["/v1/variables-values-by-name/FLAGS/content", { value: { beta: ["x", null, 1.5] } }],
    ["/v1/variables-values-by-name/__proto__/content", { value: "not a prototype" }],
    ["/v1/variables-values-by-name/EMPTY/content", { value: "" }],
    ["/v1/variables-values-by-name", { data: NAMED_VALUES }],
    ["/v1/check", { missing: ["UNSET"], invalid: [] }],
  ])("GET %s", async (target, body) => {
    const { status, headers, json } = await get(await runningServer(), target, {
      "x-api-key": "dev-key",
      "x-api-secret": "dev-secret",
      accept: "application/json",
    });
    expect({ status, json }).toStrictEqual({ status: 200, json: body });
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  });
});

describe("names selects values by the names of their variables", () => {
  const port = '{"data":{"PORT":3000}}';
  it.each([
    ["?names=PORT", port],
    ["?names=DEBUG,PORT", '{"data":{"PORT":3000,"DEBUG":true}}'],
    ["?names=PORT,PORT,%50ORT", port],
    ["?names=PORT,UNKNOWN,UNSET,LEDGER_URL,port,toString,a%20b,", port],
    ["?names=PORT&names=DEBUG", '{"data":{"PORT":3000,"DEBUG":true}}'],
    ["?names=__proto__", '{"data":{"__proto__":"not a prototype"}}'],
    ["?names=", '{"data":{}}'],
    ["?names", '{"data":{}}'],
    [`?names=${"A,".repeat(4_000)}PORT`, port],
  ])("%.60s", async (query, body) => {
    const { status, body: answer } = await get(
      await runningServer(),
      `/v1/variables-values-by-name${query}`,
    );
    expect({ status, answer }).toEqual({ status: 200, answer: body });
  });
});

/** What a variable says about its values, each field different from its default. */
const RULES = { optional: true, secret: false, schema: { maximum: 1 } };

it("the other endpoints answer the same, to the byte, whatever variables say about their values", async () => {
  const ruled = edited(({ variables }) => {
    for (const variable of variables) Object.assign(variable, RULES);
  }) as object;
  const [plain, other] = [await runningServer(), await runningServer({ data: ruled })];
  for (const target of [
    "/v1/variables",
    "/v1/variables/2",
    "/v1/variables-values",
    "/v1/variables-values/12",
  ])
    expect((await get(other, target)).body).toBe((await get(plain, target)).body);
  const all = "/v1/variables-values-by-name";
  expect((await get(other, all)).body).toBe((await get(plain, all)).body);
  for (const target of ["PORT", "PORT/content"].map(
    (path) => `/v1/variables-values-by-name/${path}`,
  ))
    expect((await get(other, target)).body).toBe((await get(plain, target)).body);
  expect((await get(other, "/v1/check")).json).toEqual({
    missing: [],
    invalid: [{ name: "PORT", rule: "must be <= 1" }],
  });
});

describe("an environment sees only its own data", () => {
  const TEST_VALUE = { id: 19, variable_id: 1, content: { value: "postgres://localhost/test" } };
  const BILLING_VALUE = {
    id: 18,
    variable_id: 8,
    content: { value: "postgres://localhost/ledger" },
  };

  it.each([
    { key: "test", value: TEST_VALUE, variables: [1, 2, 3, 4, 5, 6, 7] },
    { key: "billing", value: BILLING_VALUE, variables: [8] },
  ])("with the key of $key", async ({ key, value, variables }) => {
    const server = await runningServer();
    const headers = { "x-api-key": `${key}-key`, "x-api-secret": `${key}-secret` };
    const values = await get(server, "/v1/variables-values", headers);
    expect(values.json).toStrictEqual({
      metadata: { limit: 50, offset: 0, total: 1 },
      data: [value],
    });
    const { json } = await get(server, "/v1/variables", headers);
    expect((json as { data: { id: number }[] }).data.map(({ id }) => id)).toEqual(variables);
  });
});

describe("data that does not exist or belongs to another environment is answered with the same 404", () => {
  it.each([
    ["an unknown variable", "/v1/variables/999"],
    ["the largest id there can be", "/v1/variables/9007199254740991"],
    ["another application's variable", "/v1/variables/8"],
    ["an unknown value", "/v1/variables-values/999"],
    ["another environment's value", "/v1/variables-values/19"],
    ["another application's value", "/v1/variables-values/18"],
    ["an unknown name", "/v1/variables-values-by-name/NOPE"],
    ["a name in another case", "/v1/variables-values-by-name/debug"],
    ["a name with a value in another environment only", "/v1/variables-values-by-name/UNSET"],
    ["the content of such a name", "/v1/variables-values-by-name/UNSET/content"],
    ["a name that no variable may have", "/v1/variables-values-by-name/%00"],
    ["a property that every object has", "/v1/variables-values-by-name/constructor"],
    ["another such property", "/v1/variables-values-by-name/toString/content"],
    ["a name with an encoded slash", "/v1/variables-values-by-name/DEBUG%2Fcontent"],
  ])("%s is answered with 404", async (_case, target) => {
    const { status, json } = await get(await runningServer(), target);
    expect({ status, json }).toStrictEqual({ status: 404, json: { message: "Not found" } });
  });
});

describe("an id that is not a positive safe integer is refused", () => {
  const IDS = [
    "0",
    "-1",
    "abc",
    "1.5",
    "1e2",
    "0x10",
    "01",
    "%201",
    "9007199254740992",
    "99999999999999999999",
  ];

  it.each(IDS.flatMap((id) => [`/v1/variables/${id}`, `/v1/variables-values/${id}`]))(
    "GET %s",
    async (target) => {
      const { status, json } = await get(await runningServer(), target);
      expect({ status, json }).toStrictEqual({
        status: 400,
        json: { message: "id must be a positive whole number" },
      });
    },
  );
});

describe("unusual data reaches the caller unchanged", () => {
  it.each(["constructor", "toString", "hasOwnProperty", "a.b-c_1", "_", "A".repeat(255)])(
    "a variable named %s",
    async (name) => {
      const data = edited((copy) => (copy.variables[4].name = name)) as object;
      const { status, json } = await get(
        await runningServer({ data }),
        `/v1/variables-values-by-name/${name}/content`,
      );
      expect({ status, json }).toStrictEqual({ status: 200, json: { value: "not a prototype" } });
    },
  );

  it("a variable without a description has an empty one", async () => {
    const data = edited((copy) => delete copy.variables[1].description) as object;
    const { json } = await get(await runningServer({ data }), "/v1/variables/1");
    expect(json).toStrictEqual({ id: 1, type: "STRING", name: "DATABASE_URL", description: "" });
  });

  it.each(["null", "[]", "false", "-0.5", '"ünïcödé 😀"', '{"__proto__":{"a":1},"constructor":2}'])(
    "the JSON value %s",
    async (value) => {
      const { path } = await dataFile(
        JSON.stringify(DATA).replace('{"beta":["x",null,1.5]}', value),
      );
      const { body } = await get(
        await runningServer({ data: path }),
        "/v1/variables-values-by-name/FLAGS/content",
      );
      expect(body).toBe(`{"value":${value}}`);
    },
  );
});
