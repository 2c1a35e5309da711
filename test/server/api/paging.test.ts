import { describe, expect, it } from "vitest";
import { edited } from "../../support/data.js";
import { get } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

const LISTS = ["/v1/variables", "/v1/variables-values"];

/** Variables 1 to 1500 of shop with a value in development each, in descending order. */
const MANY = edited((copy) => {
  const ids = Array.from({ length: 1_500 }, (_, index) => 1_500 - index);
  const common = { application: "shop", type: "NUMBER", description: "" };
  copy.variables = ids.map((id) => ({ id, name: `V${id}`, ...common }));
  copy.values = ids.map((id) => ({
    id,
    variable_id: id,
    environment_id: 1,
    content: { value: id },
  }));
});

describe.each(LISTS)("%s contains at most limit items from offset on, by ascending id,", (list) => {
  it.each([
    { query: "", limit: 50, offset: 0, first: 1, last: 50 },
    { query: "?", limit: 50, offset: 0, first: 1, last: 50 },
    { query: "?limit=2", limit: 2, offset: 0, first: 1, last: 2 },
    { query: "?limit=1&offset=0", limit: 1, offset: 0, first: 1, last: 1 },
    { query: "?offset=9", limit: 50, offset: 9, first: 10, last: 59 },
    { query: "?offset=100&limit=10", limit: 10, offset: 100, first: 101, last: 110 },
    { query: "?limit=10&offset=1495", limit: 10, offset: 1_495, first: 1_496, last: 1_500 },
    { query: "?limit=1000", limit: 1_000, offset: 0, first: 1, last: 1_000 },
    { query: "?limit=1001", limit: 1_000, offset: 0, first: 1, last: 1_000 },
    {
      query: "?limit=99999999999999999999&offset=1",
      limit: 1_000,
      offset: 1,
      first: 2,
      last: 1_001,
    },
    { query: "?limit=2&page=7&LIMIT=0&__proto__=1", limit: 2, offset: 0, first: 1, last: 2 },
  ])(
    "a list contains at most limit items from offset on, by ascending id: $query",
    async ({ query, limit, offset, first, last }) => {
      const { status, json } = await get(
        await runningServer({ data: MANY as object }),
        list + query,
      );
      const { metadata, data } = json as { metadata: unknown; data: { id: number }[] };
      expect({ status, metadata }).toStrictEqual({
        status: 200,
        metadata: { limit, offset, total: 1_500 },
      });
      expect(data.map(({ id }) => id)).toEqual(
        Array.from({ length: last - first + 1 }, (_, index) => first + index),
      );
    },
  );

  it("a limit or offset larger than any list is accepted", async () => {
    const { status, json } = await get(
      await runningServer(),
      `${list}?limit=${"9".repeat(400)}&offset=${"9".repeat(20)}`,
    );
    const metadata = { limit: 1_000, offset: Number.MAX_SAFE_INTEGER, total: expect.any(Number) };
    expect({ status, json }).toStrictEqual({ status: 200, json: { metadata, data: [] } });
  });

  it.each([7, 1_000_000, Number.MAX_SAFE_INTEGER])(
    "a list is an empty page from the offset %d on",
    async (offset) => {
      const server = await runningServer();
      const { status, json } = await get(server, `${list}?offset=${offset}`);
      const total = list === "/v1/variables" ? 7 : 6;
      expect({ status, json }).toStrictEqual({
        status: 200,
        json: { metadata: { limit: 50, offset, total }, data: [] },
      });
    },
  );

  const LIMIT = "limit must be a whole number of 1 or more (over 1000 counts as 1000)";
  const OFFSET = "offset must be a whole number of 0 or more";

  it.each([
    ...[
      "0",
      "-1",
      "1.5",
      "abc",
      "",
      "0x10",
      "1e2",
      "+1",
      "%201",
      "1%20",
      "%D9%A3",
      "NaN",
      "Infinity",
      "1,2",
    ].map((value) => [`limit=${value}`, LIMIT]),
    ["limit", LIMIT],
    ["limit=1&limit=1", LIMIT],
    ...["-1", "-0", "1.5", "abc", "", "0x10", "1e2", "+1", "%201", "NaN"].map((value) => [
      `offset=${value}`,
      OFFSET,
    ]),
    ["offset", OFFSET],
    ["offset=0&offset=0", OFFSET],
    ["limit=5&offset=x", OFFSET],
    // node:querystring reads 1,000.
    [`${"a&".repeat(1_000)}limit=0`, LIMIT],
  ])("a list with ?%s is answered with 400 and the bounds", async (query, message) => {
    const { status, json } = await get(await runningServer(), `${list}?${query}`);
    expect({ status, json }).toStrictEqual({ status: 400, json: { message } });
  });
});
