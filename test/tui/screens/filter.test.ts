import { expect, it } from "vitest";
import { openTui, selectedIn, shopOf } from "../support/tui.js";

const DATA = shopOf(
  { name: "PORT", values: [3000], description: "where the shop listens" },
  { name: "DATABASE_URL", values: ["x"], description: "primary database" },
  { name: "DEBUG", values: [true] },
  { name: "DATA", values: [{}] },
  { name: "LOG_DATA", values: ["y"] },
  { name: "DOWN_AT_A", values: ["y"], description: "a data centre" },
  { name: "TOKEN", values: ["envbee:enc:v1:abc"] },
  { name: "NONE", values: [undefined, "z"] },
);
const ALL = ["PORT", "DATABASE_URL", "DEBUG", "DATA", "LOG_DATA", "DOWN_AT_A", "TOKEN", "NONE"];

it.each([
  // The best matches come first: a whole name, its start, a word, a description; with ~ letters
  // last.
  ["data", ["DATA", "DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]],
  ["~data", ["DATA", "DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]],
  ["shop", ["PORT"]],
  ["centre", ["DOWN_AT_A"]],
  ["durl", []],
  ["~durl", ["DATABASE_URL"]],
  ["*_data", ["LOG_DATA"]],
  ["D*_* !*url", ["DOWN_AT_A"]],
  ["~shpls", []],
  ["URL  data", ["DATABASE_URL"]],
  ["data nowhere", []],
  ["  ", ALL],
  ["! type: name: ~ ' !~ !name:", ALL],
  ["missing", ["NONE"]],
  ["encrypted", ["TOKEN"]],
  ["type:number", ["PORT"]],
  ["type:j", ["DATA"]],
  ["type:number type:json", ["PORT", "DATA"]],
  ["missing type:string", ["NONE"]],
  ["type:string data", ["DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]],
  ["name:data", ["DATA", "DATABASE_URL", "LOG_DATA"]],
  ["name:listens", []],
  ["name:p shop", ["PORT"]],
  ["'data", ["DATA"]],
  ["!data", ["PORT", "DEBUG", "TOKEN", "NONE"]],
  ["data !'data", ["DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]],
  ["!missing !type:string", ["PORT", "DEBUG", "DATA"]],
  ["!~o", ["DATABASE_URL", "DEBUG", "DATA"]],
])("the filter %o shows the variables that match, best matches first", async (filter, names) => {
  const tui = await openTui({ data: DATA });
  tui.press("/", ...filter, "enter");
  expect(tui.names).toEqual(names);
});

it("filter, type, sort and order can be combined", async () => {
  const tui = await openTui({ data: DATA });
  tui.press("s", "s");
  expect(tui.names).toEqual([
    "DATABASE_URL",
    "LOG_DATA",
    "DOWN_AT_A",
    "TOKEN",
    "NONE",
    "PORT",
    "DEBUG",
    "DATA",
  ]);
  tui.press("s", "s", "t", "/", ..."d", "enter");
  expect(tui.names).toEqual(["DATABASE_URL", "DOWN_AT_A", "LOG_DATA"]);
  tui.press("S");
  expect(tui.names).toEqual(["DOWN_AT_A", "DATABASE_URL", "LOG_DATA"]);
});

it("a filter for an unknown type lists the types", async () => {
  const tui = await openTui();
  tui.press("/", ..."type:text");
  expect(tui.frame()).toContain("there is no type text; use string, number, boolean, json");
});

it("matches are underlined in names and descriptions", async () => {
  const tui = await openTui();
  tui.press("/", ..."data", "enter");
  expect(tui.painted("plain").match(/\x1b\[4m[^\x1b]*(\x1b\[1m)?data/gi)).toHaveLength(2);
});

const MANY = shopOf(
  ...Array.from({ length: 100 }, (_, index) => ({ name: `V_${index}`, values: [index] })),
);

it("a variable that was found stays selected and in view when the filter is removed", async () => {
  const tui = await openTui({ data: MANY });
  tui.press("/", ..."v_87", "enter", "escape");
  expect(selectedIn(tui.frame())).toBe("V_87");
  expect(tui.frame()).toContain("Variables 88/100");
  tui.press("/", ..."v_42", "x", "y");
  expect(selectedIn(tui.frame())).toBeUndefined();
  tui.press("enter", "escape");
  expect(selectedIn(tui.frame())).toBe("V_42");
});

it("the term changed finds marked changes by another program, and nothing after a minute", async () => {
  const tui = await openTui();
  tui.press("/", ..."changed", "enter");
  expect(tui.names).toEqual([]);
  const [first, ...others] = tui.data.values;
  await tui.file.write({
    ...tui.data,
    values: [{ ...first, content: { value: "other" } }, ...others],
  });
  await tui.tickUntil(/› *~ DATABASE_URL/, /· changed: DATABASE_URL$/m);
  expect(tui.names).toEqual(["DATABASE_URL"]);
  tui.pass(60);
  expect(tui.names).toEqual([]);
});

it("in the matrix, the words have the same meaning, and one place that lacks or has the value is enough", async () => {
  const tui = await openTui({ data: DATA });
  tui.press("m");
  await tui.shows(/NONE +! missing += same/);
  const rows = (filter: string) => {
    tui.press("/", ...filter);
    const names = [...tui.frame().matchAll(/^┃[› ]..([A-Z_]+) +[=~*-] /gm)].map(([, name]) => name);
    tui.press("enter", "escape");
    return names;
  };
  expect(rows("data")).toEqual(["DATA", "DATABASE_URL", "LOG_DATA", "DOWN_AT_A"]);
  expect(rows("~durl")).toEqual(["DATABASE_URL"]);
  expect(rows("'data")).toEqual(["DATA"]);
  expect(rows("!missing")).toEqual([]);
  expect(rows("encrypted")).toEqual(["TOKEN"]);
  expect(rows("type:number type:json !shop")).toEqual(["DATA"]);
  expect(rows("changed")).toEqual([]);
});

it("in the matrix, the values of all places are searched while they are shown", async () => {
  const tui = await openTui({ data: DATA });
  tui.press("m");
  await tui.shows(/NONE +! missing += same/);
  tui.press("/", ..."'none", "enter", "V", "escape", "/", ..."z");
  expect(tui.frame()).toMatch(/›! NONE +! missing +. z +! missing/);
  tui.press("z");
  expect(tui.frame()).toMatch(/nothing matches "zz"; .*; encrypted values were not searched/);
});

it("a filter says that only one type is listed, and Esc clears the filter, then the type", async () => {
  const tui = await openTui();
  tui.press("t", "/", ..."zzz", "enter");
  expect(tui.frame()).toMatch(/Variables {3}only STRING {2}\/zzz/);
  expect(tui.frame()).toMatch(/nothing matches "zzz" among STRING/);
  tui.press("escape");
  expect(tui.frame()).toMatch(/only STRING.*┓/);
  tui.press("escape");
  expect(tui.frame()).not.toContain("only STRING");
});

it("the last line begins with the keys that act on marked variables", async () => {
  const tui = await openTui();
  tui.press(" ");
  expect(tui.frame()).toMatch(/ > copy to {2}y copy {2}x delete/);
});
