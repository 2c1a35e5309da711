import { describe, expect, it } from "vitest";
import { encrypt } from "../../../src/client/envelope.js";
import { keyFile, openTui, SECRET, SHOP, shopOf } from "../support/tui.js";

/** Opens a comparison of development with test, and waits until test has been read. */
async function compared(options: Parameters<typeof openTui>[0] = {}) {
  const tui = await openTui(options);
  tui.press("d");
  expect(tui.frame()).toContain("▶ Compare development with");
  tui.press("enter");
  await tui.shows(/▶ development → test {2}1\/3/);
  return tui;
}

describe("a comparison", () => {
  it("lists the differences with signs, masked, without variables that have no value", async () => {
    const tui = await compared();
    const frame = tui.frame();
    expect(frame).toMatch(/› ?~ DATABASE_URL +•+ +•+/);
    expect(frame).toMatch(/- DEBUG +•+ +\(missing\)/);
    expect(frame).not.toMatch(/PORT|UNSET/);
    expect(frame).toContain("+ only there   - only here   ~ differs   * encrypted");
    expect(tui.footer()).toBe(
      " > copy to  < copy from  Tab panel  / filter  s sort  n next  Space mark  v reveal  y copy  Y copy the other  e edit  x delete  u undo  H history  r refresh  ? help  Esc back",
    );
  });

  it("shows both values with v, with the changed words, and goes to the detail with Tab", async () => {
    const tui = await compared();
    tui.press("v");
    expect(tui.frame()).toMatch(/- hunter2[\s\S]*\+ other hunter2/);
    tui.press("tab");
    expect(tui.frame()).toMatch(/▶ DATABASE_URL/);
    tui.press("escape");
    expect(tui.frame()).toMatch(/▶ development → test/);
    tui.press("escape");
    expect(tui.title()).toBe("Variables");
  });

  it("filters by name; Esc removes the filter", async () => {
    const tui = await compared();
    tui.press("/", ..."deb");
    expect(tui.footer()).toMatch(/^ \/deb +1 of 3/);
    tui.press("enter");
    expect(tui.frame()).toMatch(/1\/1 {2}\/deb/);
    tui.press("escape");
    expect(tui.frame()).toMatch(/\d\/3 /);
  });

  it("returns to the previous difference with Escape while a filter is typed", async () => {
    const tui = await compared();
    tui.press("2", "n", "N", "/", ..."!deb");
    expect(tui.frame()).toMatch(/› ?~ DATABASE_URL/);
    tui.press("escape");
    expect(tui.frame()).toMatch(/› ?- DEBUG/);
    expect(tui.frame()).toMatch(/2\/3 /);
  });

  it("copies the variable under its cursor with :copy-to, and reports an environment that is gone", async () => {
    const tui = await compared();
    tui.press("j", ...":copy-to test", "enter");
    await tui.shows(/Copy DEBUG to test\?/);
    tui.press("escape");
    const environments = SHOP.environments.filter(({ name }) => name !== "test");
    const values = SHOP.values.filter(({ environment_id }) => environment_id !== 2);
    await tui.file.write({ ...SHOP, environments, values });
    await tui.tickUntil(/test no longer exists/);
  });

  it("copies the value of either side", async () => {
    const tui = await compared();
    tui.press("y");
    await tui.shows(/copied DATABASE_URL to the clipboard/);
    tui.press("Y");
    await tui.shows(/copied DATABASE_URL of test to the clipboard/);
    expect(tui.copied).toEqual([SECRET, `other ${SECRET}`]);
  });

  it("copies a value to either side and compares again, and u undoes it there", async () => {
    const tui = await compared();
    tui.press(">");
    await tui.shows(/Copy DATABASE_URL to test\?/);
    tui.press("enter");
    await tui.shows(/✓ copied DATABASE_URL to test; u undoes it/, /→ test {2}1\/2/);
    expect(await tui.saved("DATABASE_URL", "test")).toBe(SECRET);
    tui.press("u");
    await tui.shows(/Undo the change to DATABASE_URL in test\?/);
    tui.press("enter");
    await tui.shows(/undid the change to/, /→ test {2}1\/3/);
    tui.press("g", "<");
    await tui.shows(/Copy DATABASE_URL to development\?/);
    tui.press("enter");
    await tui.shows(/→ test {2}1\/2/);
    expect(await tui.saved("DATABASE_URL")).toBe(`other ${SECRET}`);
  });

  it("edits the value of the open place, and returns", async () => {
    const tui = await compared();
    tui.press("e", "x", "ctrl-s");
    await tui.shows(/▶ Change/);
    tui.press("escape", "escape", "ctrl-x");
    expect(tui.frame()).toMatch(/▶ development → test/);
  });

  it("says why a key does not work, and that nothing is selected", async () => {
    const values = SHOP.values.filter(({ environment_id }) => environment_id === 1);
    const copies = values.map((each) => ({ ...each, id: each.id + 100, environment_id: 2 }));
    const tui = await openTui({ data: { ...SHOP, values: [...values, ...copies] } });
    tui.press(...":diff test", "enter");
    await tui.shows(/✓ no differences/);
    tui.press("y");
    expect(tui.footer()).toBe(" ✗ no variable is selected");
  });

  it("shows its keys with ?, and : acts on it, or else on the list", async () => {
    const tui = await compared({ rows: 60 });
    tui.press("?");
    expect(tui.frame()).toMatch(
      /> +copy-to +copy the value to other places[\s\S]*PgUp Ctrl-B +page-up +a page up/,
    );
    tui.press("?", ":", ..."sort id", "enter");
    expect(tui.frame()).toMatch(/DATABASE_URL[\s\S]*FLAGS[\s\S]*DEBUG/);
    tui.press(":", ..."type json", "enter");
    expect([tui.title(), tui.names]).toEqual(["Variables", ["FLAGS"]]);
  });

  it("follows changes of the open place", async () => {
    const tui = await compared();
    const values = SHOP.values.map((each) =>
      each.id === 12 ? { ...each, content: { value: 1 } } : each,
    );
    await tui.file.write({ ...SHOP, values });
    await tui.until(() => {
      tui.pass(1);
      return tui.frame().includes("→ test  1/4");
    });
  });

  it("shows long values line by line, and n and N go from change to change", async () => {
    const lines = (text: string) =>
      Array.from(
        { length: 100 },
        (_, index) => `${index === 10 || index === 70 ? text : "line"} ${index}`,
      ).join("\n");
    const data = shopOf({ name: "TEXT", values: [lines("line"), lines("other")] });
    const tui = await openTui({ columns: 80, rows: 24, data });
    tui.press(...":diff test", "enter");
    await tui.shows(/› ?~ TEXT/);
    tui.press("v", "tab");
    expect(tui.frame()).toMatch(
      /▶ TEXT {2}change 1\/2[\s\S]*… 7 equal lines …[\s\S]*- line 10\b[\s\S]*\+ other 10\b/,
    );
    tui.press("n", "n");
    expect(tui.frame()).toMatch(/change 2\/2[\s\S]*- line 70\b/);
    tui.press("N");
    expect(tui.frame()).toMatch(/change 1\/2[\s\S]*- line 10\b/);
    tui.press("pagedown");
    expect(tui.frame()).not.toMatch(/- line 10\b/);
    tui.press("home", "tab");
    expect(tui.frame()).toMatch(/▶ development → test[\s\S]*… 7 equal lines …/);
  });

  it("of production has the warning color, and the menu leaves out the open place", async () => {
    const tui = await openTui({ env: "production" });
    tui.press("d", "j", "j", "j");
    expect(tui.frame()).toMatch(/› +test/);
    tui.press("q");
    expect(tui.title()).toBe("Variables");
  });
});

/** Opens the matrix, and waits until all environments have been read. */
async function matrix(options: Parameters<typeof openTui>[0] = {}) {
  const tui = await openTui(options);
  tui.press("m");
  await tui.until(
    ({ readings }) => [...readings.values()].filter(({ isComplete }) => isComplete).length === 3,
  );
  return tui;
}

describe("the matrix", () => {
  it("shows how the value of each environment compares with that of the open one", async () => {
    const tui = await matrix();
    const frame = tui.frame();
    expect(frame).toMatch(/NAME +● development +test +production/);
    expect(frame).toMatch(/DATABASE_URL +.*= same +~ differs +~ differs/);
    expect(frame).toMatch(/PORT += same +~ differs|PORT += same += same +~ differs/);
    expect(frame).toMatch(/UNSET +[-!] missing +[-!] missing +(~ differs|= same)/);
    expect(frame).toContain("= same  ~ differs  - missing  * encrypted  ? not read");
    expect(frame).not.toContain(SECRET);
    expect(frame).toMatch(/▶ shop 1\/5 {2}place 1\/3/);
  });

  it("compares values with the first in the row, by type and content, and encrypted values only with v", async () => {
    const KEY = "the key";
    const same = encrypt("x", KEY);
    const data = shopOf(
      {
        name: "JSON",
        values: [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
      },
      { name: "ELSEWHERE", values: [undefined, 1, 2] },
      { name: "SEALED", values: [same, same, encrypt("x", KEY)] },
      { name: "PLAIN", values: [encrypt("x", KEY), "x", "y"] },
      {
        name: "SPACES",
        type: "JSON",
        values: [encrypt('{ "b": true, "a": [1] }', KEY), { a: [1], b: true }, "no"],
      },
    );
    const tui = await matrix({ data, encKeyFile: await keyFile(KEY) });
    const cells = (name: string) => {
      const row = new RegExp(` ${name} +[=~*!-].*`).exec(tui.frame())?.[0] ?? "";
      return row.match(/same|differs|missing|encrypted/g)?.join(" ");
    };
    expect(["JSON", "ELSEWHERE", "SEALED", "PLAIN", "SPACES"].map(cells)).toEqual([
      "same same missing",
      "missing same differs",
      "same same encrypted",
      "same encrypted encrypted",
      "same encrypted encrypted",
    ]);
    for (const [keys, expected] of [
      [["j", "j", "v"], /› {2}SEALED +=.x +=.x +=.x /],
      [["j", "v"], /› {2}PLAIN +=.x +=.x +~.y /],
      [["j", "v"], /› {2}SPACES +=.\{.+ +=.\{.+ +~."no" /],
    ] as const) {
      tui.press(...keys);
      await tui.shows(expected);
    }
  });

  it("moves with arrows and letters, and goes with n and N to rows that differ or lack a value", async () => {
    const tui = await matrix();
    const title = (...keys: string[]) => {
      tui.press(...keys);
      return /▶ (shop \S+ {2}place \S+)/.exec(tui.frame())?.[1];
    };
    expect(title("j", "l")).toBe("shop 2/5  place 2/3");
    expect(title("k", "h", "h")).toBe("shop 1/5  place 1/3");
    expect(title("G", "right", "right", "right")).toBe("shop 5/5  place 3/3");
    expect(title("g", "n")).toBe("shop 2/5  place 3/3");
    tui.press("G", "n");
    expect(tui.footer()).toBe(" · no more differences");
  });

  it("lists only differing rows with t, then only missing ones, then all, and filters by name", async () => {
    const tui = await matrix();
    const titles = Array.from({ length: 3 }, () => {
      tui.press("t");
      return /▶ shop \S+ {2}place \S+ {2,}(only \w+)?/.exec(tui.frame())?.[1];
    });
    expect(titles).toEqual(["only differing", "only missing", undefined]);
    tui.press("j", "/", ..."unset", "escape");
    expect(tui.frame()).toMatch(/› {2}PORT/);
    tui.press("/", ..."por");
    expect(tui.footer()).toMatch(/^ \/por +1 of 5/);
    tui.press("enter", "escape");
    expect(tui.frame()).toMatch(/▶ shop \d\/5/);
  });

  it("copies, fills in and edits the value under the cursor, and returns", async () => {
    const tui = await matrix();
    tui.press("l", "y");
    await tui.shows(/copied DATABASE_URL of test/);
    tui.press(">");
    expect(tui.frame()).toContain("▶ Copy DATABASE_URL to");
    tui.press("enter");
    await tui.shows(/Copy DATABASE_URL to development\?/);
    tui.press("enter");
    await tui.shows(
      /✓ copied DATABASE_URL to development; u undoes it|✓ copied DATABASE_URL; u undoes it/,
      /▶ shop 1\/5 {2}place 2\/3/,
    );
    expect(await tui.saved("DATABASE_URL")).toBe(`other ${SECRET}`);
    tui.press("e", "!", "ctrl-s");
    await tui.shows(/Change DATABASE_URL in test\?/);
    tui.press("enter");
    await tui.shows(/✓ changed DATABASE_URL in test; u undoes it/, /place 2\/3/);
    expect(await tui.saved("DATABASE_URL", "test")).toBe(`other ${SECRET}!`);
    await tui.shows(/DATABASE_URL +.*= same +~ differs +~ differs/);
  });

  it("shows the values of the row with v, and opens the environment of the cell with Enter", async () => {
    const tui = await matrix();
    tui.press("v");
    expect(tui.frame()).toMatch(/test +~ differs +other hunter2/);
    tui.press("j", "l", "l", "enter");
    await tui.shows(/appvars {2}shop\/production/, /›. ?.?PORT/);
  });

  it("fills a missing value with < from the nearest place to the left that has one, else from the right", async () => {
    const tui = await matrix();
    tui.press("G", "l", "l", "<");
    await tui.shows(/Copy DEBUG from development to production\?/);
    tui.press(..."DEBUG", "enter");
    await tui.shows(/✓ .*DEBUG/, /DEBUG +.*= same +! missing +.*= same/);
    expect(await tui.saved("DEBUG", "production")).toBe(true);
    tui.press("k", "h", "<");
    await tui.shows(/Copy UNSET from production to test\?/);
    tui.press("enter");
    await tui.shows(/UNSET +! missing +.*= same +.*= same/);
    expect(await tui.saved("UNSET", "test")).toBe(true);
  });

  it("says with < why there is nothing to copy", async () => {
    const tui = await matrix({
      data: { ...SHOP, values: SHOP.values.filter(({ variable_id }) => variable_id !== 5) },
    });
    tui.press("G", "<");
    expect(tui.footer()).toBe(" ✗ DEBUG has no value in any other environment");
  });

  it("shows short values with V, the values of one row with v, and public values always", async () => {
    const variables = SHOP.variables.map((each) =>
      each.name === "PORT" ? { ...each, secret: false } : each,
    );
    const tui = await matrix({ data: { ...SHOP, variables } });
    expect(tui.frame()).toMatch(
      /DATABASE_URL +.*= same +~ differs[\s\S]*PORT +.*= 3000 +.*= 3000 +.*~ 80/,
    );
    tui.press("v");
    expect(tui.frame()).toMatch(
      /DATABASE_URL += hunter2 +~ other hunter2 +~ live hunter2[\s\S]*FLAGS += same/,
    );
    tui.press("V");
    expect(tui.frame()).toMatch(/FLAGS += \{"beta":\S+ +! missing/);
    tui.pass(61);
    expect(tui.frame()).not.toContain(SECRET);
  });

  it.each(["escape", "q", "m"])("%s closes it", async (key) => {
    const tui = await matrix();
    tui.press(key);
    expect(tui.title()).toBe("Variables");
  });

  it("offers all other places for :copy-to, and adds to and exports the place under the cursor", async () => {
    const tui = await matrix();
    tui.press("l", ...":copy-to ");
    expect(tui.frame()).toMatch(/development[\s\S]*production/);
    expect(tui.frame()).not.toMatch(/› test |copy-to test/);
    tui.press("escape", "a");
    expect(tui.frame()).toContain("▶ Add to test");
    tui.press("escape", ...":export", "enter");
    expect(tui.frame()).toContain("Export all variables of test");
  });

  it("shows a new environment", async () => {
    const tui = await matrix();
    const environment = {
      id: 4,
      application: "shop",
      name: "staging",
      api_key: "k4",
      api_secret: "s4",
    };
    await tui.file.write({ ...SHOP, environments: [...SHOP.environments, environment] });
    await tui.shows(/production +staging/);
    await tui.file.write(SHOP);
    await tui.until(() => !tui.frame().includes("staging"));
  });

  it("ignores other keys and pastes, and says why a value can't be copied", async () => {
    const tui = await matrix();
    const before = tui.frame();
    tui.press("f2");
    tui.paste("q");
    expect(tui.frame()).toBe(before);
    tui.press("G", "l", "y");
    expect(tui.footer()).toBe(" ✗ DEBUG has no value in test");
  });
});

describe("marks", () => {
  it("are set with Space, R, * and ! in the matrix and in comparisons as in the list, and Escape keeps them", async () => {
    const tui = await matrix();
    tui.press(" ", "R", "j", "R");
    expect(tui.frame()).toMatch(/▶ shop 3\/5 {2}place 1\/3 {2}✓ 3 marked/);
    expect(tui.frame()).toMatch(/✓DATABASE_URL[\s\S]*✓PORT[\s\S]*✓FLAGS[\s\S]* UNSET/);
    tui.press("!", "R", "k", "escape", "escape");
    expect(tui.frame()).toMatch(/▶ Variables 1\/5 {2}✓ 2 marked/);
    tui.press("d", "enter");
    await tui.shows(/▶ development → test {2}1\/3 {2}✓ 2 marked \(1 not listed\)/);
    tui.press("*");
    expect(tui.frame()).toContain("✓ 4 marked (1 not listed)");
    tui.press("escape", "escape");
    expect(tui.frame()).not.toContain("marked");
  });

  it("stay when another environment is opened, and are copied from there", async () => {
    const tui = await openTui();
    tui.press(" ", " ", "]");
    await tui.shows(/shop\/test/, /Variables 3\/5 {2}✓ 2 marked/);
    tui.press("y");
    await tui.shows(/copied 2 variables to the clipboard/);
    expect(tui.copied).toEqual([`other ${SECRET}\n3000`]);
  });

  it("select what y, >, < and x act on, in the matrix in the place under the cursor", async () => {
    const tui = await matrix();
    tui.press("*", "l", "y");
    await tui.shows(/copied 2 variables of test/);
    tui.press("<");
    // Only variables that are missing there are copied.
    await tui.shows(/3 variables from development, production to test\?/);
    tui.press("escape", "h", "<");
    await tui.shows(/Copy UNSET from production to development\?/);
    tui.press("escape", "l", "l", "x");
    await tui.shows(
      /delete the values of 3 variables from production|3 variables in production|shop\/production/,
    );
  });

  it("select what < copies in a comparison", async () => {
    const tui = await compared();
    tui.press("*", "Y");
    await tui.shows(/copied 1 variables? of test|copied DATABASE_URL of test/);
    tui.press(">");
    expect(tui.frame()).toMatch(/✓ 1 marked {2}Copy 3 variables to[\s\S]*✓test/);
    tui.press("enter");
    await tui.shows(/3 variables to test\?/);
    tui.press("enter");
    await tui.shows(/✓ no differences/);
  });

  it("that do not exist in a place are reported", async () => {
    const tui = await openTui({ data: { ...SHOP, values: [] } });
    tui.press(" ", "y");
    await tui.shows(/✗ .*no value/);
  });
});

it("a click on a heading sorts by it, and a second click reverses the order", async () => {
  const tui = await openTui();
  tui.click("NAME ");
  expect(tui.names).toEqual(["DATABASE_URL", "DEBUG", "FLAGS", "PORT", "UNSET"]);
  expect(tui.frame()).toContain("NAME ↑");
  tui.click("NAME ↑");
  expect(tui.names).toEqual(["UNSET", "PORT", "FLAGS", "DEBUG", "DATABASE_URL"]);
  tui.pass(1);
  tui.click("TYPE ");
  expect(tui.names).toEqual(["DATABASE_URL", "PORT", "UNSET", "DEBUG", "FLAGS"]);
  tui.press("m");
  expect(tui.frame()).toMatch(/▶ shop 1\/5 {2}place 1\/3 {2}by type ↑[\s\S]*DEBUG[\s\S]*FLAGS/);
});

it("> says which values are already the same, and leaves no marks", async () => {
  const tui = await openTui();
  tui.press(" ", " ", ">", "enter");
  await tui.shows(/Copy DATABASE_URL to test\?/, /! Already the same: PORT\./);
  tui.press("enter");
  await tui.shows(/✓ copied DATABASE_URL/);
  expect(tui.frame()).not.toContain("marked");
});

it("> in the list copies marked values in one edit, and skips variables without a value", async () => {
  const tui = await openTui();
  tui.press("*", ">", "enter");
  await tui.shows(/Copy 2 variables to test\?|Copy 3 variables to test\?/);
  tui.press("enter");
  await tui.shows(/✓ copied \d variables/);
  expect(await tui.saved("FLAGS", "test")).toEqual({ beta: [1, null] });
  tui.press("j", "j", "j", "escape", "escape", ">");
  expect(tui.footer()).toBe(" ✗ UNSET has no value here");
});
