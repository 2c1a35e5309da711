import { stripVTControlCharacters } from "node:util";
import { describe, expect, it, test } from "vitest";
import { openTui, SECRET, SHOP, selectedIn as selected, shopOf } from "../support/tui.js";

const numbered = (count: number) =>
  shopOf(
    ...Array.from({ length: count }, (_, index) => ({ name: `V_${index + 1}`, values: [index] })),
  );

describe("moving", () => {
  it.each([
    [["j"], "PORT"],
    [["down"], "PORT"],
    [["G"], "DEBUG"],
    [["end"], "DEBUG"],
    [["j", "k"], "DATABASE_URL"],
    [["G", "g"], "DATABASE_URL"],
    [["G", "g", "g"], "DATABASE_URL"],
    [["3", "j"], "UNSET"],
    [["1", "0", "j", "2", "k"], "FLAGS"],
    [["0", "j"], "PORT"],
    [["3", "t", "escape", "j"], "PORT"],
    [["2", "h", "escape", "j"], "PORT"],
  ])("in the list %j goes to %s", async (keys, name) => {
    const tui = await openTui();
    tui.press(...keys);
    expect(selected(tui.frame())).toBe(name);
  });

  it("moves by lines and by pages, scrolls no further than necessary, and stops at both ends", async () => {
    const tui = await openTui({ data: numbered(60), columns: 80, rows: 24 });
    const cursor = (key: string) => {
      tui.press(key);
      return selected(tui.frame());
    };
    // Eleven rows are visible.
    expect(["k", "up", "pageup", "ctrl-b", "ctrl-u", "home"].map(cursor)).toEqual(
      Array(6).fill("V_1"),
    );
    expect(["pagedown", "ctrl-f", "ctrl-d", "ctrl-u", "pageup"].map(cursor)).toEqual([
      "V_12",
      "V_23",
      "V_28",
      "V_23",
      "V_12",
    ]);
    expect(tui.frame()).toMatch(/ V_12 [\s\S]* V_22 /);
    expect(cursor("down")).toBe("V_13");
    expect(tui.frame()).toMatch(/ V_12 [\s\S]* V_22 /);
    expect(["end", "j", "pagedown"].map(cursor)).toEqual(["V_60", "V_60", "V_60"]);
    expect(tui.frame()).toMatch(/ V_50 [\s\S]* V_60 /);
  });

  it("stays in an empty list", async () => {
    const tui = await openTui({ data: shopOf() });
    tui.press("up", "end", "pagedown", "g");
    expect(tui.frame()).toContain("no variables yet; a adds one");
  });

  it("moves to the variable that takes the place of a removed one", async () => {
    const tui = await openTui();
    tui.press("G");
    const variables = SHOP.variables.slice(0, 4);
    await tui.file.write({
      ...SHOP,
      variables,
      values: SHOP.values.filter(({ variable_id }) => variable_id !== 5),
    });
    await tui.tickUntil(/· removed: DEBUG$/m);
    expect(selected(tui.frame())).toBe("UNSET");
  });

  it("opens the next and the previous environment with ] and [, with the cursor on the same variable", async () => {
    const tui = await openTui();
    tui.press("j", "]");
    expect(selected(await tui.shows(/appvars {2}shop\/test/, /5 variables/))).toBe("PORT");
    tui.press("[", "[");
    expect(selected(await tui.shows(/appvars {2}shop\/production/, /5 variables/))).toBe("PORT");
    tui.press("]");
    await tui.shows(/appvars {2}shop\/development/, /5 variables/);
  });

  it("shows a number while it is typed", async () => {
    const tui = await openTui();
    tui.press("1", "2");
    expect(tui.footer()).toMatch(/^ 12 /);
    tui.press("k");
    expect(tui.footer()).not.toContain("12");
  });

  it("goes to the line of a number before G", async () => {
    const tui = await openTui();
    tui.press("4", "G");
    expect(tui.frame()).toContain("▶ Variables 4/5");
    tui.press("1", "G", "G");
    expect(tui.frame()).toContain("▶ Variables 5/5");
  });

  it("says that there is no other environment", async () => {
    const tui = await openTui({
      data: { ...SHOP, environments: SHOP.environments.slice(0, 1), values: [] },
    });
    tui.press("]");
    expect(tui.footer()).toBe(" ✗ there is no other environment of this application");
  });

  it("scrolls the record from the list with J and K", async () => {
    const description = Array.from({ length: 100 }, (_, index) => `word-${index}`).join(" ");
    const tui = await openTui({
      columns: 100,
      data: { ...SHOP, variables: SHOP.variables.map((each) => ({ ...each, description })) },
    });
    const record = () => tui.frame().split("DATABASE_URL ─")[1] ?? "";
    expect(record()).toContain("STRING");
    tui.press("2", "J");
    expect(record()).not.toContain("STRING");
    tui.press("9", "K");
    expect(record()).toContain("STRING");
    expect(selected(tui.frame())).toBe("DATABASE_URL");
  });

  it("keeps the cursor visible when the terminal gets smaller", async () => {
    const tui = await openTui({ rows: 40 });
    tui.press("G");
    tui.program.resize({ columns: 60, rows: 15 });
    expect(selected(tui.frame())).toBe("DEBUG");
  });

  it("goes to the next panel with Tab, l and →, and back with Shift-Tab, h and ←", async () => {
    const tui = await openTui();
    const focused = (...keys: string[]) => {
      tui.press(...keys);
      return /▶ (\w+)/.exec(tui.frame())?.[1];
    };
    expect([focused("tab"), focused("l"), focused("right")]).toEqual([
      "DATABASE_URL",
      "Environments",
      "Variables",
    ]);
    expect([focused("shift-tab"), focused("h"), focused("left")]).toEqual([
      "Environments",
      "DATABASE_URL",
      "Variables",
    ]);
    expect([focused("enter"), focused("enter")]).toEqual(["DATABASE_URL", "Variables"]);
    expect(focused("h", "j", "escape")).toBe("Variables");
  });

  it("opens another place with Enter, with the cursor on the same variable and all values masked", async () => {
    const tui = await openTui();
    tui.press("j", "V", "h", "j", "enter");
    const frame = await tui.shows(/appvars {2}shop\/test/, /2 of 5|5 variables/);
    expect(selected(frame)).toBe("PORT");
    expect(frame).not.toContain(SECRET);
  });
});

test.each(["x", "e", "y", "v", "t", "s", "a"])(
  "with the places focused, %s does nothing, and says so",
  async (key) => {
    const tui = await openTui();
    tui.press("h", key);
    expect(tui.footer()).toMatch(/"[a-z-]+" doesn't work here; Esc goes to the variables/);
    expect([tui.title(), tui.copied]).toEqual(["Environments", []]);
  },
);

describe("filter, type and sort", () => {
  it("follows each letter of a filter, the best matches first; Enter keeps it, and Escape clears it", async () => {
    const tui = await openTui();
    tui.press("/", ..."~durl");
    expect(tui.names).toEqual(["DATABASE_URL"]);
    expect(tui.footer()).toMatch(/^ \/~durl +1 of 5 {2}Enter keep {2}F1 help {2}Esc back/);
    tui.press("enter");
    expect(tui.frame()).toContain("▶ Variables 1/1  /~durl");
    tui.press("/", ..."x", "escape");
    expect(tui.names).toEqual(["DATABASE_URL"]);
    tui.press("escape");
    expect(tui.names).toHaveLength(5);
  });

  it("returns to the previous variable with Escape while it is typed", async () => {
    const tui = await openTui();
    tui.press("j", "/", ..."debug", "down");
    expect(selected(tui.frame())).toBe("DEBUG");
    tui.press("escape");
    expect([selected(tui.frame()), tui.names.length]).toEqual(["PORT", 5]);
  });

  it("searches values while they are shown, and says so if nothing matches", async () => {
    const tui = await openTui();
    tui.press("/", ...SECRET, "enter");
    expect(tui.names).toEqual([]);
    expect(tui.frame()).toMatch(
      /nothing matches "hunter2"; Esc clears the filter; masked values were not searched: V/,
    );
    tui.press("V");
    expect(tui.names).toEqual(["DATABASE_URL"]);
    tui.pass(61);
    expect(tui.names).toEqual([]);
    tui.press("escape", "/", ..."'xyz");
    expect(tui.frame()).not.toContain("not searched");
  });

  it("says that encrypted values were not searched while all others are shown", async () => {
    const values = SHOP.values.map((each) =>
      each.id === 12 ? { ...each, content: { value: "envbee:enc:v1:a" } } : each,
    );
    const tui = await openTui({ data: { ...SHOP, values } });
    tui.press("V", "/", ..."nowhere");
    expect(tui.frame()).toMatch(
      /nothing matches "nowhere"; .*; encrypted values were not searched/,
    );
  });

  it("takes letters of commands as text, and backspace on an empty filter closes it", async () => {
    const tui = await openTui();
    tui.press("/", ..."qvyx");
    expect([tui.names, tui.copied, tui.events]).toEqual([[], [], []]);
    tui.press("backspace", "backspace", "backspace", "backspace", "backspace");
    expect(tui.footer()).toContain("q quit");
  });

  it("shows each type with t, then all again", async () => {
    const tui = await openTui();
    const shown = Array.from({ length: 5 }, () => {
      tui.press("t");
      return tui.names.join();
    });
    expect(shown).toEqual([
      "DATABASE_URL",
      "PORT",
      "UNSET,DEBUG",
      "FLAGS",
      "DATABASE_URL,PORT,FLAGS,UNSET,DEBUG",
    ]);
  });

  it("sorts with s by name, type and id, and S reverses the order; the cursor stays on its variable", async () => {
    const tui = await openTui();
    tui.press("j", "s");
    expect(tui.names).toEqual(["DATABASE_URL", "DEBUG", "FLAGS", "PORT", "UNSET"]);
    expect(selected(tui.frame())).toBe("PORT");
    expect(tui.frame()).toContain("by name ↑");
    tui.press("S");
    expect(tui.names).toEqual(["UNSET", "PORT", "FLAGS", "DEBUG", "DATABASE_URL"]);
  });

  it.each([
    [":filter data", ["DATABASE_URL"]],
    [":type json", ["FLAGS"]],
    [":sort name", ["DATABASE_URL", "DEBUG", "FLAGS", "PORT", "UNSET"]],
  ])("does the same with %s", async (text, names) => {
    const tui = await openTui();
    tui.press(...text, "enter");
    expect(tui.names).toEqual(names);
  });

  it.each([":type jsno", ":sort nane"])("suggests the correct word for %s", async (text) => {
    const tui = await openTui();
    tui.press(...text, "enter");
    expect(tui.frame()).toMatch(/did you mean (json|name)\?/);
  });
});

describe("columns", () => {
  /** The headings, and where they begin in the list. */
  const headings = (frame: string) => {
    const heading = /[┃│] {3}((?:NAME|TYPE|VALUE|DESCRIPTION)\b.*?) *[┃│]/.exec(frame)?.[1] ?? "";
    return Array.from(heading.matchAll(/[A-Z]+/g), ({ 0: name, index }) => `${name} ${index}`).join(
      ", ",
    );
  };

  it.each([
    [200, "NAME", "NAME 0, TYPE 8, VALUE 17, DESCRIPTION 69"],
    [80, "NAME", "NAME 0, TYPE 8, VALUE 17"],
    [120, "N".repeat(100), "NAME 0, TYPE 34, VALUE 43"],
    [60, "N".repeat(100), "NAME 0, TYPE 27, VALUE 36"],
  ])(
    "at %d columns, names get room first, then values, then descriptions: %s",
    async (columns, name, expected) => {
      const tui = await openTui({ columns, data: shopOf({ name, values: ["x"] }) });
      expect(headings(tui.frame())).toBe(expected);
    },
  );

  it.each([
    [[{ name: "type" }, { name: "name", width: 20 }], "TYPE 0, NAME 9"],
    [[{ name: "value" }, { name: "name" }], "VALUE 0, NAME 42"],
    [[{ name: "name" }], "NAME 0"],
    // There is no room for the last one.
    [
      [{ name: "description", width: 40 }, { name: "name" }, { name: "value", width: 30 }],
      "DESCRIPTION 0, NAME 42",
    ],
  ] as const)("are those of the settings: %j", async (columns, expected) => {
    const tui = await openTui({ columns: 80, preferences: { columns } });
    expect(headings(tui.frame())).toBe(expected);
  });

  it.each([120, 160, 200])("leave 40 for a value at %d", async (columns) => {
    const tui = await openTui({
      columns,
      data: shopOf({ name: "N".repeat(32), values: ["v".repeat(200)] }),
    });
    tui.press("V");
    expect(/STRING +(v+)…/.exec(tui.frame())?.[1]?.length).toBeGreaterThanOrEqual(39);
  });
});

describe("marks", () => {
  it("with Space, R, * and !, and Escape removes range, filter and marks in turn", async () => {
    const tui = await openTui();
    tui.press(" ");
    expect(tui.frame()).toContain("▶ Variables 2/5  ✓ 1 marked");
    tui.press("R", "j", "j", "R");
    expect(tui.frame()).toContain("✓ 4 marked");
    tui.press("!");
    expect(tui.frame()).toContain("✓ 1 marked");
    tui.press("/", ..."port", "enter");
    expect(tui.frame()).toContain("✓ 1 marked (1 not listed)");
    tui.press("escape", "*");
    expect(tui.frame()).toContain("✓ 5 marked");
    tui.press("*");
    expect(tui.frame()).not.toContain("marked");
    tui.press("g", "j", "R", "j");
    expect(tui.frame()).toMatch(/ {2}DATABASE_URL [\s\S]*✓PORT [\s\S]*✓FLAGS [\s\S]*[ !] UNSET /);
    tui.press("escape");
    expect(tui.frame()).not.toContain("marked");
  });

  it("lets y copy all marked variables", async () => {
    const tui = await openTui();
    tui.press(" ", " ", "y");
    await tui.shows(/copied 2 variables to the clipboard/);
    expect(tui.copied).toEqual([`${SECRET}\n3000`]);
  });
});

it("changes by another program are announced by name, or by their number if there are many, and edits by their own notice", async () => {
  const tui = await openTui();
  const more = shopOf(...["A", "B", "C", "D"].map((name) => ({ name, values: [1] })));
  const added = more.variables.map((each) => ({ ...each, id: each.id + 10 }));
  const given = more.values.map((each) => ({ ...each, variable_id: each.variable_id + 10 }));
  const values = SHOP.values.filter(({ id }) => id !== 12);
  await tui.file.write({
    ...SHOP,
    variables: [...SHOP.variables, ...added],
    values: [...values, ...given],
  });
  await tui.tickUntil(/· added: 4 variables; changed: PORT$/m);
  expect(tui.frame()).toMatch(/ ! PORT +NUMBER +\(no value\)/);
  expect(tui.frame()).toMatch(/ \+ A /);
  tui.press("x");
  await tui.shows(/▶ Delete/);
  tui.press("enter");
  await tui.shows(/✓ deleted the value of DATABASE_URL; u undoes it$/m, /›! DATABASE_URL/);
});

it("the outcome of an action is not replaced by changes by another program, or hidden by a filter that is being typed", async () => {
  // A long notice is shown long enough for the other program to make its change.
  const reason = "no clipboard ".repeat(300);
  const tui = await openTui({ outcome: { kind: "failed", reason } });
  tui.press("y", "/", "p");
  await tui.shows(/✗ can't copy DATABASE_URL: no clipboard[^/]*…\n \/p/);
  tui.press("escape", "y");
  await tui.shows(/✗ can't copy/);
  await tui.file.write({ ...SHOP, values: SHOP.values.filter(({ id }) => id !== 12) });
  await tui.tickUntil(/ PORT +NUMBER +\(no value\)/);
  expect(tui.frame()).toContain("✗ can't copy DATABASE_URL");
  tui.press("escape");
  await tui.file.write(SHOP);
  await tui.tickUntil(/· changed: PORT$/m);
});

it("the row under the cursor is inverse if the list has the focus, and production has a warning color", async () => {
  const tui = await openTui();
  const rowOf = (name: string) =>
    tui
      .painted("dark")
      .split("\n")
      .find((line) => stripVTControlCharacters(line).includes(`  ${name} `)) ?? "";
  expect(rowOf("DATABASE_URL")).toContain("\x1b[7m");
  expect(rowOf("PORT")).not.toContain("\x1b[7m");
  tui.press("tab");
  expect(rowOf("DATABASE_URL")).not.toContain("\x1b[7m");
  expect(tui.painted("plain")).not.toMatch(/\x1b\[(3[0-8]|4[0-8]|9\d)/);
});

describe("values", () => {
  it("are masked at first; v shows one for 30 seconds, and V shows all for a minute", async () => {
    const tui = await openTui();
    expect(tui.frame()).not.toContain(SECRET);
    tui.press("v");
    expect(tui.frame()).toContain(SECRET);
    expect(tui.frame()).toContain("values shown for 30 s");
    expect(tui.frame()).not.toContain("3000");
    tui.pass(31);
    expect(tui.frame()).not.toContain(SECRET);
    tui.press("V");
    expect(tui.frame()).toContain("3000");
    tui.pass(61);
    expect(tui.frame()).not.toContain("3000");
    for (const key of ["v", "V"]) {
      tui.press(key);
      expect(tui.frame()).toContain(SECRET);
      tui.press(key);
      expect(tui.frame()).not.toContain(SECRET);
    }
  });

  it("of other environments are shown in the record with v, even for a variable without a value here", async () => {
    const tui = await openTui({ rows: 40 });
    await tui.shows(/test +~ differs +•+/);
    tui.press("v");
    expect(tui.frame()).toMatch(/test +~ differs +other hunter2/);
    tui.press("j", "j", "j", "v");
    expect(tui.frame()).toMatch(/production +~ differs +true/);
  });

  it.each([undefined, "all"] as const)(
    "that are public are shown unless the setting masked is %s",
    async (masked) => {
      const variables = SHOP.variables.map((each) =>
        each.id === 1 ? { ...each, secret: false } : each,
      );
      const tui = await openTui({ data: { ...SHOP, variables }, preferences: { masked } });
      const isShown = masked === undefined;
      const shows = () => expect(tui.frame().includes(SECRET)).toBe(isShown);
      shows();
      tui.press("e", "tab");
      expect(tui.frame()).toContain("▶ Edit in development");
      shows();
      tui.press("escape", "d", "enter");
      await tui.shows(/▶ development → test {2}1/);
      shows();
      tui.press("escape", "m");
      await tui.shows(/▶ shop 1\/5/, /differs/);
      shows();
      tui.press("escape", "x");
      await tui.shows(/Delete the value of DATABASE_URL/);
      shows();
    },
  );

  it("that are empty are shown as (empty), and blanks at the end as dots, in list, record, comparison and matrix", async () => {
    const texts: Record<number, string> = { 11: "a b  \nc ", 15: "" };
    const values = SHOP.values.map((each) => ({
      ...each,
      content: { value: texts[each.id] ?? each.content.value },
    }));
    const tui = await openTui({ data: { ...SHOP, values } });
    tui.press("V");
    expect(tui.frame()).toMatch(/STRING +a b {2}\S{1,2}c· /);
    expect(tui.frame()).toMatch(/ a b·· /);
    tui.press("d", "enter");
    expect(await tui.shows(/▶ development → test/, /- a b·· /, /- c· /)).toMatch(/\+ \(empty\)/);
    tui.press("escape", "m");
    await tui.shows(/ a b·· /, / \(empty\) /);
    tui.press("escape", "]");
    await tui.shows(/appvars {2}shop\/test/, /5 variables/);
    tui.press("V");
    expect(tui.frame()).toMatch(/STRING +\(empty\)/);
  });

  it.each([
    [{ kind: "clipboard" } as const, "copied DATABASE_URL to the clipboard"],
    [
      { kind: "terminal", reason: "no xclip" } as const,
      "sent DATABASE_URL to the terminal's clipboard (OSC 52): no xclip",
    ],
    [{ kind: "failed", reason: "too long" } as const, "can't copy DATABASE_URL: too long"],
  ])("says whether a copy worked: %j", async (outcome, text) => {
    const tui = await openTui({ outcome });
    tui.press("y");
    await tui.until(() => tui.frame().includes(text));
  });

  it("are copied with Y in the chosen format", async () => {
    const tui = await openTui();
    tui.press("Y");
    expect(tui.frame()).toMatch(/▶ Copy DATABASE_URL/);
    tui.press("j", "enter");
    await tui.shows(/copied DATABASE_URL as name=value/);
    tui.press("Y", "escape", "Y", "j", "j", "j", "j", "enter");
    await tui.shows(/copied the command for DATABASE_URL/);
    expect(tui.copied[0]).toBe(`DATABASE_URL=${SECRET}`);
    expect(tui.copied[1]).toMatch(/^appvars get DATABASE_URL --data .* --env shop\/development$/);
  });

  it("of marked variables are copied with Y in a format of export", async () => {
    const tui = await openTui();
    tui.press(" ", " ", "Y", "/", ..."docker", "enter");
    await tui.shows(/copied 2 variables as docker/);
    expect(tui.copied[0]).toBe(`DATABASE_URL=${SECRET}\nPORT=3000\n`);
  });

  it("that are missing can't be copied", async () => {
    const tui = await openTui();
    tui.press("j", "j", "j", "y");
    expect(tui.footer()).toBe(" ✗ UNSET has no value here");
  });
});

it("an older notice doesn't hide the keys of a new screen", async () => {
  for (const key of ["a", "e", "?", ":", "/"]) {
    const tui = await openTui();
    tui.press("h", "x");
    tui.press("escape", key);
    expect(tui.footer()).not.toContain("doesn't work");
  }
});

it("r reads again, q quits, Ctrl-C and Ctrl-Z work everywhere, and a paste runs no command", async () => {
  const tui = await openTui();
  tui.press("r");
  await tui.shows(/0 s old/);
  for (const text of ["quit\n", "enter", "x"]) tui.paste(text);
  expect([tui.title(), tui.events]).toEqual(["Variables", []]);
  for (const key of ["/", ":", "?", "a"]) {
    tui.press(key, "ctrl-z", "ctrl-l", "ctrl-c", "escape");
    expect(tui.events.splice(0)).toEqual(["suspend", "redraw", "quit"]);
  }
  tui.press("q");
  expect(tui.events).toEqual(["quit"]);
});

it("on a screen that is too small, only Ctrl-C works", async () => {
  const tui = await openTui();
  tui.program.resize({ columns: 80, rows: 9 });
  tui.press("x", "q", "e", "enter");
  expect(tui.frame().trim()).toBe("The terminal is too small; it needs 40x10. Ctrl-C quits.");
  expect(tui.events).toEqual([]);
  tui.program.resize({ columns: 80, rows: 30 });
  expect(tui.title()).toBe("Variables");
  tui.program.resize({ columns: 80, rows: 9 });
  tui.press("ctrl-c");
  expect(tui.events).toEqual(["quit"]);
});

it("a screen that is too small warns of the changes that a second Ctrl-C would lose", async () => {
  const tui = await openTui();
  tui.press("e", "x");
  tui.program.resize({ columns: 100, rows: 9 });
  tui.press("ctrl-c");
  expect(tui.frame().trim()).toBe(
    "Quit, and lose your changes? Press Ctrl-C again to quit. The terminal is too small; it needs 40x10.",
  );
  expect(tui.events).toEqual([]);
  tui.press("ctrl-c");
  expect(tui.events).toEqual(["quit"]);
});

it("no screen shows control characters of names, values and descriptions", async () => {
  const hostile = "\u001b[31m\u0007\u202e";
  const data = {
    ...SHOP,
    variables: SHOP.variables.map((each) => ({
      ...each,
      description: `${each.description} ${hostile.slice(5)}`,
    })),
    values: SHOP.values.map((each) => ({ ...each, content: { value: hostile } })),
  };
  const tui = await openTui({
    data: {
      ...data,
      variables: data.variables.map((each) => ({ ...each, type: "STRING" as const })),
    },
  });
  tui.press("V");
  for (const keys of [
    ["j"],
    ["d", "enter"],
    ["escape", "m"],
    ["escape", "e"],
    ["escape", "Y"],
    ["escape", "?"],
  ]) {
    tui.press(...keys);
    expect(tui.frame()).not.toMatch(/[\u0007\u202e\u001b]/u);
  }
});
