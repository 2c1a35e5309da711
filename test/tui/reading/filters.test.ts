import { expect, it } from "vitest";
import type { Data } from "../../../src/store/data.js";
import { aRecord } from "../../support/records.js";
import { openTui, SHOP } from "../support/tui.js";

const VARIABLES = [
  ["PORT", "NUMBER", 3000, "where the shop listens"],
  ["DATABASE_URL", "STRING", "x", "primary database"],
  ["DEBUG", "BOOLEAN", true, ""],
  ["DATA", "JSON", {}, ""],
  ["LOG_DATA", "STRING", "y", ""],
  ["DOWN_AT_A", "STRING", "y", "a data centre"],
  ["TOKEN", "STRING", "envbee:enc:v1:abc", ""],
  ["NONE", "STRING", undefined, ""],
] as const;

/** All variables in three environments. */
const DATA: Data = {
  ...SHOP,
  variables: VARIABLES.map(([name, type, , description], index) => aRecord({ id: index + 1, name, type, description })),
  values: [1, 2, 3].flatMap((environment) =>
    VARIABLES.flatMap(([, , value], index) => {
      const id = environment * 100 + index;
      return value === undefined
        ? []
        : [{ id, variable_id: index + 1, environment_id: environment, content: { value } }];
    }),
  ),
};

/** The names that a table lists after these keys; in the matrix, and in the list. */
async function listed(...keys: readonly string[]) {
  const tui = await openTui({ data: DATA });
  tui.press(...keys);
  return tui.names;
}

it.each([
  [[], "PORT DATABASE_URL DEBUG DATA LOG_DATA DOWN_AT_A TOKEN NONE"],
  [["s"], "DATA DATABASE_URL DEBUG DOWN_AT_A LOG_DATA NONE PORT TOKEN"],
  [["s", "S"], "TOKEN PORT NONE LOG_DATA DOWN_AT_A DEBUG DATABASE_URL DATA"],
  [["s", "s"], "DATABASE_URL LOG_DATA DOWN_AT_A TOKEN NONE PORT DEBUG DATA"],
  [["t"], "DATABASE_URL LOG_DATA DOWN_AT_A TOKEN NONE"],
  [["t", "s", "/", "d"], "DATABASE_URL DOWN_AT_A LOG_DATA"],
  [["s", "S", "/", ..."type:string"], "TOKEN NONE LOG_DATA DOWN_AT_A DATABASE_URL"],
])("the order and the type after %j", async (keys, names) => {
  expect((await listed(...keys)).join(" ")).toBe(names);
});

const FILTERS = [
  // A whole name, its start, a word, a description; with ~ letters last.
  ["data", "DATA DATABASE_URL LOG_DATA DOWN_AT_A"],
  ["~data", "DATA DATABASE_URL LOG_DATA DOWN_AT_A"],
  ["da", "DATABASE_URL DATA LOG_DATA DOWN_AT_A"],
  ["shop", "PORT"],
  ["durl", ""],
  ["~durl", "DATABASE_URL"],
  ["~shpls", ""],
  ["centre", "DOWN_AT_A"],
  ["URL  data", "DATABASE_URL"],
  ["data nowhere", ""],
  ["missing", "NONE"],
  ["encrypted", "TOKEN"],
  ["changed", ""],
  ["type:number", "PORT"],
  ["type:j", "DATA"],
  ["type:number type:json", "PORT DATA"],
  ["missing type:string", "NONE"],
  ["type:string data", "DATABASE_URL LOG_DATA DOWN_AT_A"],
  ["name:data", "DATA DATABASE_URL LOG_DATA"],
  ["name:listens", ""],
  ["name:p shop", "PORT"],
  ["'data", "DATA"],
  ["!data", "PORT DEBUG TOKEN NONE"],
  ["data !'data", "DATABASE_URL LOG_DATA DOWN_AT_A"],
  ["!missing !type:string", "PORT DEBUG DATA"],
  ["!~o", "DATABASE_URL DEBUG DATA"],
  ["! type: name: ~ ' !~ !name:", "PORT DATABASE_URL DEBUG DATA LOG_DATA DOWN_AT_A TOKEN NONE"],
] as const;

it("each filter lists the same variables in the list and in the matrix, the best first", async () => {
  const tui = await openTui({ data: DATA });
  for (const [filter, names] of FILTERS) {
    tui.press("/", ...filter);
    expect([filter, tui.names.join(" ")]).toEqual([filter, names]);
    tui.press("enter", "escape");
  }
  tui.press("m");
  await tui.shows(/DEBUG +(= same +){3}/);
  for (const [filter, names] of FILTERS) {
    tui.press("/", ...filter);
    expect([filter, rowsOf(tui.frame()).join(" ")]).toEqual([filter, names]);
    tui.press("enter", "escape");
  }
});

/** The names in the rows of a matrix. */
function rowsOf(frame: string): string[] {
  return [...frame.matchAll(/^┃[› ].{2}([A-Z_]+) +[=~*-]/gm)].map(([, name = ""]) => name);
}

it("a filter for a type that there is not says which there are", async () => {
  const tui = await openTui({ data: DATA });
  tui.press("/", ..."type:text");
  expect(tui.frame()).toContain("there is no type text; use string, number, boolean, json");
});

it("a filter for changed variables follows them for a minute, in the list and in the matrix", async () => {
  const tui = await openTui({ data: DATA });
  tui.press("/", ..."changed", "enter");
  const values = DATA.values.map((each) => (each.id === 100 ? { ...each, content: { value: 80 } } : each));
  await tui.file.write({ ...DATA, values });
  await tui.until(() => {
    tui.pass(1);
    return tui.names.join() === "PORT";
  });
  tui.press("m", "/", ..."changed");
  expect(rowsOf(tui.frame())).toEqual(["PORT"]);
  tui.press("escape", "escape");
  tui.pass(61);
  expect(tui.names).toEqual([]);
});

it("the cursor stays on a variable that a filter found, and one without matches doesn't lose it", async () => {
  const variables = Array.from({ length: 100 }, (_, index) => aRecord({ id: index + 1, name: `V_${index}` }));
  const tui = await openTui({ data: { ...SHOP, variables, values: [] } });
  tui.press("/", ..."v_87", "enter", "escape");
  expect(tui.frame()).toMatch(/Variables 88\/100[\s\S]*› +V_87/);
  tui.press("/", ..."v_87x");
  expect(tui.names).toEqual([]);
  tui.press("backspace", "enter", "escape");
  expect(tui.frame()).toMatch(/Variables 88\/100/);
  tui.press("]");
  await tui.shows(/shop\/test/, /Variables 88\/100[\s\S]*› +V_87/);
});
