import { chmod, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { decrypt, encrypt } from "../../../src/client/envelope.js";
import type { Data } from "../../../src/store/data.js";
import { isWell, keyFile, openTui, remoteProgram, SECRET, SHOP, shopOf } from "../support/tui.js";

describe("a form", () => {
  it("starts at the value, masks it unless it has the focus, and asks with Ctrl-S before the edit is written", async () => {
    const tui = await openTui();
    tui.press("e");
    expect(tui.frame()).toMatch(/▶ Edit in development[\s\S]*name +DATABASE_URL/);
    expect(tui.frame()).toContain(SECRET);
    expect(tui.footer()).toBe(" Ctrl-S review  Tab next field  Ctrl-J new line  F1 help  Esc back");
    tui.press("tab");
    expect(tui.frame()).not.toContain(SECRET);
    tui.press("shift-tab", "!", "ctrl-s");
    const frame = await tui.shows(/▶ Change/);
    expect(frame).toMatch(/Change DATABASE_URL in development\?/);
    expect(frame).toMatch(/- hunter2/);
    expect(frame).toMatch(/\+ hunter2!/);
    expect(tui.footer()).toBe(
      " Ctrl-S confirm  Enter choose  Tab next button  v hide values  ? help  Esc back",
    );
    expect(await tui.saved("DATABASE_URL")).toBe(SECRET);
    tui.press("enter");
    await tui.shows(/✓ changed DATABASE_URL; u undoes it/);
    expect(await tui.saved("DATABASE_URL")).toBe(`${SECRET}!`);
  });

  it("takes Ctrl-J as a new line in a value, and as Enter anywhere else", async () => {
    const tui = await openTui();
    tui.press("e", "ctrl-j", "x", "tab", "ctrl-j");
    await tui.shows(/Change DATABASE_URL in development\?/);
    tui.press("ctrl-j");
    await tui.shows(/✓ changed DATABASE_URL/);
    expect(await tui.saved("DATABASE_URL")).toBe(`${SECRET}\nx`);
    tui.press(":", ..."sort name", "ctrl-j");
    expect(tui.frame()).toContain("by name");
    tui.press("h", "j", "ctrl-j");
    await tui.shows(/appvars {2}shop\/test/);
  });

  it("adds a variable, and selects it", async () => {
    const tui = await openTui();
    tui.press("a", ..."NEW", "tab", "right", "tab", ..."42", "tab", ..."Why", "enter");
    await tui.shows(/Add NEW to development\?/);
    tui.press("ctrl-s");
    await tui.shows(/✓ added NEW; u undoes it/, /›. ?.?NEW +NUMBER/);
    expect(await tui.saved("NEW")).toBe(42);
  });

  it.each([
    ["a", [], "✗ \"\" can't be a variable's name: a name is"],
    ["a", [..."PORT"], "PORT already exists: edit it instead"],
    ["a", [..."UNSET"], "UNSET already exists: edit it instead"],
    ["a", [..."9"], "✗ \"9\" can't be a variable's name: a name is"],
    ["a", [..."N", "tab", "right", "tab", ..."many"], "✗ a NUMBER must be a JSON number"],
  ])("refuses %s with %j, and typing clears the problem", async (key, text, problem) => {
    const tui = await openTui();
    tui.press(key, ...text, "ctrl-s");
    await tui.until(() => tui.frame().includes(problem));
    tui.press("x");
    expect(tui.frame()).not.toContain(problem);
  });

  it("indents JSON, keeps the indent of a new line, and leaves a value with several lines only with Tab", async () => {
    const tui = await openTui();
    tui.press("j", "j", "e", "down", "end", "enter", ..."2,");
    expect(tui.frame()).toMatch(/"beta": \[ *┃\n.*┃ +2, *┃\n.*┃ +1,/);
    expect(tui.frame()).toContain("line 3/7");
    tui.press("tab");
    expect(tui.frame()).toMatch(/› description/);
  });

  it("focuses the field with the problem", async () => {
    const tui = await openTui();
    tui.press("a", ..."1bad", "tab", "tab", ..."x", "tab", "ctrl-s");
    await tui.shows(/› name +1bad[\s\S]*✗ "1bad" can't be a variable's name/);
    tui.press("ctrl-u", ..."GOOD", "tab", "right", "tab", "tab", "ctrl-s");
    await tui.shows(/› value +x[\s\S]*✗ a NUMBER must be/);
    tui.press("tab", "tab", "tab", "tab", ..."{", "tab", "ctrl-s");
    await tui.shows(/› schema +\{[\s\S]*✗ the schema/);
  });

  it("undoes edits with Alt-U, and letters in a row together", async () => {
    const tui = await openTui();
    tui.press("a", ..."NEW", "tab", "tab", ..."one two", "ctrl-u", "tab", ..."text");
    const valueAfterUndo = () => {
      tui.press("alt-u");
      return /› (\w+) +([()\w ]+?) *┃/.exec(tui.frame())?.slice(1);
    };
    expect(Array.from({ length: 4 }, valueAfterUndo)).toEqual([
      ["description", "(empty)"],
      ["value", "one two"],
      ["value", "one"],
      ["value", "one"],
    ]);
    tui.press("alt-u", "alt-u", "alt-u");
    expect(tui.footer()).toContain("nothing to undo in the form");
  });

  it("keeps the focus, and the value masked, for a problem of the file", async () => {
    const tui = await openTui();
    tui.press("e", "tab", ..."x");
    await chmod(tui.file.path, 0o666);
    tui.press("ctrl-s");
    await tui.shows(/› description [\s\S]*✗ /);
    expect(tui.frame()).not.toContain(SECRET);
  });

  it("undoes the text from an editor separately from what was typed before", async () => {
    const tui = await openTui({ edit: async (text) => `${text} saved` });
    tui.press("e", "!", "alt-e");
    await tui.shows(/› value +hunter2! saved/);
    tui.press("alt-u");
    expect(tui.frame()).toMatch(/› value +hunter2! *┃/);
  });

  it("runs the keys of the help in the form", async () => {
    const tui = await openTui();
    tui.press("a", "shift-tab", "right", "f1", "/", ..."mark", "enter");
    expect(tui.frame()).toMatch(/› for +✓ development {2}✓ test/);
  });

  it("goes to the place where JSON is not valid", async () => {
    const tui = await openTui();
    tui.press("j", "j", "e", "down", "end", "backspace", "up", "tab", "ctrl-s");
    await tui.shows(/› value/, /line 4\/6/, /✗ not valid JSON: line 4, column 5/);
  });

  it("changes the type with ←→ and Space, and Space toggles a BOOLEAN", async () => {
    const tui = await openTui();
    tui.press("a", ..."X", "tab");
    const types = ["right", " ", "right", "left"].map((key) => {
      tui.press(key);
      return /◂ (\w+) ▸/.exec(tui.frame())?.[1];
    });
    expect(types).toEqual(["NUMBER", "BOOLEAN", "JSON", "BOOLEAN"]);
    tui.press("enter", " ");
    expect(tui.frame()).toMatch(/› value +true/);
    tui.press(" ");
    expect(tui.frame()).toMatch(/› value +false/);
  });

  it("takes a paste as text, and says that control characters were removed", async () => {
    const tui = await openTui();
    tui.press("e");
    tui.paste("enter\x1b[0m");
    expect(tui.frame()).toContain(`${SECRET}enter[0m`);
    expect(tui.frame()).toContain("control characters were removed from the pasted text");
  });

  it("keeps a missing value until one is typed, and takes an empty STRING once a typed text is deleted", async () => {
    const tui = await openTui();
    tui.press("j", "j", "j", "e");
    expect(tui.frame()).toMatch(/› value +\(no value\)/);
    tui.press("tab", ..."Why", "ctrl-s");
    await tui.shows(/Change the description of UNSET in development and all other environments/);
    tui.press("enter");
    await tui.shows(/changed UNSET/);
    expect(await tui.saved("UNSET")).toBeUndefined();
    tui.press("g", "e", "ctrl-u", "ctrl-s");
    await tui.shows(/\+ \(empty\)/);
    tui.press("enter");
    await tui.shows(/changed DATABASE_URL/);
    expect(await tui.saved("DATABASE_URL")).toBe("");
  });

  it("accepts an empty STRING for a missing value, and Backspace in an empty field does not restore a value", async () => {
    const tui = await openTui({
      data: shopOf({ name: "NONE", values: [undefined, "x"] }, { name: "ONE", values: ["1"] }),
    });
    tui.press("e", "x", "backspace", "ctrl-s");
    await tui.shows(/Change NONE/, /\+ \(empty\)/);
    tui.press("enter");
    await tui.shows(/changed NONE/);
    tui.press("escape", "j", "e", "backspace", "backspace", "backspace", "ctrl-s");
    await tui.shows(/Change ONE/, /\+ \(empty\)/);
    tui.press("enter");
    await tui.shows(/changed ONE/);
    expect([await tui.saved("NONE"), await tui.saved("ONE")]).toEqual(["", ""]);
  });

  it("shows the focused field and the problem on the smallest screen", async () => {
    const tui = await openTui({ columns: 60, rows: 15 });
    tui.press("a", ..."PORT", "ctrl-s");
    await tui.shows(/› name +PORT[\s\S]*✗ PORT already exists: edit it instead/);
    tui.press("shift-tab");
    expect(tui.frame()).toMatch(/› for +✓ development/);
  });

  it("needs no review without changes", async () => {
    const tui = await openTui();
    tui.press("e", "ctrl-s");
    await tui.shows(/nothing to change/);
    expect(tui.title()).toBe("Variables");
  });

  it("asks before typed text is lost, by Esc and by Ctrl-C", async () => {
    const tui = await openTui();
    tui.press("e", "escape");
    expect(tui.title()).toBe("Variables");
    tui.press("e", "x", "escape");
    expect(tui.frame()).toContain("Discard your changes?");
    expect(tui.footer()).toBe(" Ctrl-X confirm  Enter choose  Tab next button  ? help  Esc back");
    for (const key of ["enter", "escape"]) {
      tui.press(key);
      expect(tui.frame()).toContain(`${SECRET}x`);
      tui.press("escape");
    }
    tui.press("ctrl-x");
    expect(tui.title()).toBe("Variables");
    tui.press("e", "x", "ctrl-c");
    expect(tui.frame()).toContain("Quit, and lose your changes? Press Ctrl-C again to quit.");
    expect(tui.events).toEqual([]);
    tui.press("ctrl-c");
    expect(tui.events).toEqual(["quit"]);
  });

  it("shows a change by another program, and overwrites it only after a confirmation", async () => {
    const tui = await openTui();
    tui.press("j", "e", "1");
    const values = SHOP.values.map((each) =>
      each.id === 12 ? { ...each, content: { value: 4000 } } : each,
    );
    await tui.file.write({ ...SHOP, values });
    await tui.until(() => {
      tui.pass(1);
      return tui.reading.entries[1]?.value?.content.value === 4000;
    });
    tui.press("ctrl-s");
    await tui.shows(/PORT was changed by another program/, /- 4000/, /\+ 30001/);
    tui.press("ctrl-s");
    expect(tui.frame()).toContain("PORT was changed by another program");
    expect(tui.frame()).toContain("[ Overwrite ]");
    expect(tui.footer()).toContain("Ctrl-X confirm");
    expect(await tui.saved("PORT")).toBe(4000);
    tui.press("ctrl-x");
    await tui.shows(/changed PORT/);
    expect(await tui.saved("PORT")).toBe(30001);
  });
});

it("a form is still open after an edit that was not written because another program was faster", async () => {
  const tui = await openTui();
  tui.press("j", "e", "1", "ctrl-s");
  await tui.shows(/▶ Change/);
  const values = SHOP.values.map((each) =>
    each.id === 12 ? { ...each, content: { value: 4000 } } : each,
  );
  await tui.file.write({ ...SHOP, values });
  // Text typed after Enter was not meant for the form.
  tui.press("enter", "9", "ctrl-s", "ctrl-x");
  await tui.shows(/✗ PORT was changed by another program; review it again/, /› value +30001 /);
  expect(await tui.saved("PORT")).toBe(4000);
  tui.press("ctrl-s");
  await tui.shows(/Its current state and yours are below/, /- 4000/, /\+ 30001/);
});

describe("a deletion", () => {
  it("asks first, with the value masked; v shows it, and Esc goes back", async () => {
    const tui = await openTui();
    tui.press("x");
    const frame = await tui.shows(/Delete the value of DATABASE_URL in development\?/);
    expect(frame).not.toContain(SECRET);
    tui.press("v");
    expect(tui.frame()).toContain(`- ${SECRET}`);
    tui.pass(31);
    expect(tui.frame()).not.toContain(SECRET);
    tui.press("y");
    expect(tui.footer()).toContain("y does not confirm: press Enter on a button, or Ctrl-S");
    for (const text of ["\n", "enter", "y"]) tui.paste(text);
    expect(tui.frame()).toContain("▶ Delete");
    expect(await tui.saved("DATABASE_URL")).toBe(SECRET);
    tui.press("escape");
    expect(tui.title()).toBe("Variables");
  });

  it("says that a variable without another value is deleted completely", async () => {
    const tui = await openTui();
    tui.press("j", "j", "x");
    await tui.shows(/FLAGS has no value in any other environment and will be deleted completely/);
  });

  it("is refused for a variable without a value", async () => {
    const tui = await openTui();
    tui.press("j", "j", "j", "x");
    await tui.shows(/✗ UNSET has no value to delete/);
  });

  it("in production needs the name of the variable, or of the environment for several variables", async () => {
    const tui = await openTui({ env: "production" });
    tui.press("x");
    await tui.shows(/type DATABASE_URL to confirm/);
    tui.press("enter");
    expect(tui.frame()).toContain("✗ type DATABASE_URL first");
    tui.press(..."DATABASE_URLx", "enter");
    expect(await tui.saved("DATABASE_URL")).toBe(`live ${SECRET}`);
    tui.press("backspace", "enter");
    await tui.shows(/deleted the value of DATABASE_URL/);
    tui.press("*", "x");
    await tui.shows(/type production to confirm/);
  });
});

describe("undo", () => {
  it("reverts the newest change in any environment, then earlier ones, and U redoes it", async () => {
    const tui = await openTui();
    tui.press("j", "e", "1", "ctrl-s");
    await tui.shows(/▶ Change/);
    tui.press("enter");
    await tui.shows(/changed PORT; u undoes it/);
    tui.press("x");
    await tui.shows(/▶ Delete/);
    tui.press("enter");
    await tui.shows(/deleted the value of PORT; u undoes it/);
    tui.press("h", "j", "enter");
    await tui.shows(/appvars {2}shop\/test/, /5 variables/);
    tui.press("u");
    await tui.shows(
      /Undo the change to PORT in development\?/,
      /change 2, by .+@.+ with "\w+" on 2\d{3}-\d\d-\d\d/,
    );
    tui.press("enter");
    await tui.shows(/undid the change to PORT in development$/m);
    expect(await tui.saved("PORT", "development")).toBe(30001);
    tui.press("u");
    await tui.shows(/change 1, by/);
    tui.press("enter");
    await tui.until(({ pending, stack }) => pending === undefined && stack.length === 0);
    expect(await tui.saved("PORT", "development")).toBe(3000);
    tui.press("u");
    await tui.shows(/✗ nothing to undo/);
    for (const value of [30001, undefined]) {
      tui.press("U");
      await tui.shows(/▶ Redo/, /Redo the change to PORT in development\?/);
      tui.press("enter");
      await tui.shows(/redid the change to PORT in development; u undoes it/);
      expect(await tui.saved("PORT", "development")).toBe(value);
      tui.press("escape");
    }
    tui.press("U");
    await tui.shows(/✗ nothing to redo/);
    tui.press("u");
    await tui.shows(/Undo the change to PORT in development\?/);
  });

  it("finds variables by name, since a restored variable has another id", async () => {
    const tui = await openTui({ data: shopOf({ name: "ONE", values: ["a"] }) });
    const written = async (keys: readonly string[], notice: RegExp) => {
      tui.press(...keys);
      await tui.shows(/\[ Back \]/);
      tui.press("enter");
      await tui.shows(notice);
      tui.press("escape");
      return tui.saved("ONE");
    };
    expect(await written(["e", "b", "ctrl-s"], /✓ changed ONE/)).toBe("ab");
    expect(await written(["e", "c", "ctrl-s"], /✓ changed ONE/)).toBe("abc");
    expect(await written(["x"], /✓ deleted the value of ONE/)).toBeUndefined();
    for (const value of ["abc", "ab", "a"]) expect(await written(["u"], /✓ undid/)).toBe(value);
    for (const value of ["ab", "abc", undefined])
      expect(await written(["U"], /✓ redid/)).toBe(value);
  });

  it("continues where another session has undone changes, and redoes them", async () => {
    const tui = await openTui();
    for (const digit of "12") {
      tui.press("g", "j", "e", digit, "ctrl-s");
      await tui.shows(/▶ Change/);
      tui.press("enter");
      await tui.shows(/changed PORT; u undoes it/);
      tui.press("escape");
    }
    tui.press("u");
    await tui.shows(/change 2, by/);
    tui.press("enter");
    await tui.shows(/undid the change to PORT/);
    const later = await remoteProgram({ data: tui.file.path, env: "development" }, {});
    await later.until(isWell);
    later.press("j", "H");
    await later.shows(/3 .* undo 2/);
    later.press("escape", "u");
    await later.shows(/change 1, by/);
    later.press("escape", "U");
    await later.shows(/Redo the change to PORT in development\?/, /reverts change 3, by/);
    later.press("enter");
    await later.shows(/redid the change to PORT/);
    expect(await tui.saved("PORT")).toBe(300_012);
    later.press("escape", "u");
    await later.shows(/change 2, by/);
  });

  it("reverts a change by another program, and shows the current value", async () => {
    const tui = await openTui();
    const edit = async (...keys: string[]) => {
      tui.press("g", "j", "e", ...keys, "ctrl-s");
      await tui.shows(/▶ Change/);
      tui.press("enter");
      await tui.shows(/changed PORT/);
    };
    await edit("1");
    const now: Data = JSON.parse(await readFile(tui.file.path, "utf8"));
    const values = now.values.map((each) =>
      each.id === 12 ? { ...each, content: { value: 5 } } : each,
    );
    await tui.file.write({ ...now, values });
    tui.press("u");
    await tui.shows(/Undo the change to PORT in development\?/, /with "changed outside"/);
    tui.press("v");
    await tui.shows(/- 5\b/, /\+ 30001/);
    tui.press("enter");
    await tui.shows(/undid the change to PORT/);
    expect(await tui.saved("PORT")).toBe(30001);
    tui.press("escape", "g", "e", "!", "ctrl-s");
    await tui.shows(/▶ Change/);
    tui.press("enter");
    await tui.shows(/changed DATABASE_URL/);
    tui.press("U");
    await tui.shows(/✗ nothing to redo/);
    expect(await tui.saved("PORT")).toBe(30001);
  });

  it("continues in the next session", async () => {
    const first = await openTui();
    first.press("j", "x");
    await first.shows(/▶ Delete/);
    first.press("enter");
    await first.shows(/deleted the value of PORT/);
    const next = await remoteProgram({ data: first.file.path, env: "development" }, {});
    await next.until(isWell);
    next.press("u");
    await next.shows(/Undo the change to PORT in development\?/);
    next.press("enter");
    await next.shows(/undid the change to PORT/);
    expect(await first.saved("PORT")).toBe(3000);
  });

  it("in production needs the name if a value is replaced", async () => {
    const tui = await openTui({ env: "production" });
    tui.press("j", "e", "1", "ctrl-s");
    await tui.shows(/type PORT to confirm/);
    tui.press(..."PORT", "enter");
    await tui.shows(/changed PORT/);
    tui.press("u");
    await tui.shows(/Undo the change to PORT/, /type PORT to confirm/);
  });
});

describe("an edit of several environments", () => {
  it("adds a variable to all environments of the application as one change", async () => {
    const tui = await openTui();
    tui.press("a", ..."NEW", "tab", "tab", ..."x", "tab", "tab", "tab", "tab", "tab");
    expect(tui.frame()).toMatch(/› for +✓ development {2}· test {2}· production/);
    tui.press(" ", "ctrl-s");
    expect(tui.frame()).toContain("✗ press Space to mark an environment");
    tui.press("*", "ctrl-s");
    const review = await tui.shows(
      /Add NEW to development, test and production\?/,
      /in development/,
      /in production/,
    );
    // The definition is shown once.
    expect(review.match(/type +\+ STRING/g)).toHaveLength(1);
    tui.press("ctrl-s");
    await tui.shows(/added NEW to development, test and production; u undoes it/);
    const names = ["development", "test", "production"];
    expect(await Promise.all(names.map((name) => tui.saved("NEW", name)))).toEqual(["x", "x", "x"]);
    tui.press("u");
    await tui.shows(
      /Undo the change to NEW in development, test and production\?/,
      /type NEW to confirm/,
    );
    tui.press(..."NEW", "enter");
    await tui.shows(/undid the change to NEW/);
    expect(await tui.saved("NEW", "test")).toBeUndefined();
  });

  it("adds a variable to the marked environments", async () => {
    const tui = await openTui();
    tui.press(
      "a",
      ..."NEW",
      "tab",
      "tab",
      ..."x",
      "shift-tab",
      "shift-tab",
      "shift-tab",
      "right",
      "right",
      " ",
    );
    tui.press("x");
    expect(tui.frame()).toMatch(/› for +✓ development {2}· test {2}✓ production/);
    tui.press("ctrl-s");
    await tui.shows(/Add NEW to development and production\?/);
    tui.press("ctrl-s");
    await tui.shows(/added NEW to development and production/);
    expect([await tui.saved("NEW", "test"), await tui.saved("NEW", "production")]).toEqual([
      undefined,
      "x",
    ]);
  });

  it("renames a variable in all of them, and needs its name if production is among them", async () => {
    const tui = await openTui();
    tui.press("j", "e", "tab", "tab", "tab", "tab", "tab", "tab");
    tui.press(
      "shift-tab",
      "shift-tab",
      "shift-tab",
      "shift-tab",
      "shift-tab",
      "shift-tab",
      "shift-tab",
      "shift-tab",
    );
    expect(tui.frame()).toMatch(/› name +PORT/);
    tui.press("2", "ctrl-s");
    await tui.shows(
      /Change the name of PORT in development and all other environments of its application\?/,
      /- PORT/,
      /\+ PORT2/,
      /type PORT to confirm/,
    );
    tui.press(..."PORT", "enter");
    await tui.shows(/renamed PORT to PORT2; u undoes it/, /PORT2 +NUMBER/);
    expect(await tui.saved("PORT2", "production")).toBe(80);
    tui.press("u");
    await tui.shows(/- PORT2/, /\+ PORT\b/);
  });
});

describe("the rules of a variable", () => {
  it("are fields of the form, and a value that breaks the schema is refused there", async () => {
    const tui = await openTui();
    tui.press("j", "e", "tab", "tab", " ", "tab", " ", "tab", ...'{"maximum":9000}', "ctrl-s");
    await tui.shows(/optional +\+ yes/, /secret +\+ no/, /schema +\+ {/, /type PORT to confirm/);
    tui.press(..."PORT", "enter");
    await tui.shows(/changed PORT/);
    await tui.until(({ readings }) =>
      [...readings.values()].some(({ entries }) => entries[1]?.rules?.optional === true),
    );
    tui.press("e", "1", "ctrl-s");
    await tui.shows(/✗ refused by the schema: PORT must be <= 9000/, /▶ Edit in/);
    tui.press("backspace", "backspace", "1", "ctrl-s");
    await tui.shows(/Change PORT in development\?/);
    tui.press("escape", "escape", "ctrl-x");
    const optional = async () =>
      JSON.parse(await readFile(tui.file.path, "utf8")).variables[1].optional;
    for (const [key, notice, expected] of [
      ["u", /undid the change to PORT/, undefined],
      ["U", /redid the change to PORT/, true],
    ] as const) {
      tui.press(key);
      await tui.shows(/type PORT to confirm|\[ Back \]/);
      tui.press(...(/type PORT/.test(tui.frame()) ? "PORT" : ""), "enter");
      await tui.shows(notice);
      expect(await optional()).toBe(expected);
      tui.press("escape");
    }
  });
});

it("keys typed while an edit is prepared wait for its question", async () => {
  const tui = await openTui();
  tui.press("j", "x", "v", "escape", "y");
  await tui.shows(/copied PORT to the clipboard/);
  expect(tui.title()).toBe("Variables");
  expect(await tui.saved("PORT")).toBe(3000);
});

describe("a text typed after a key runs no commands", () => {
  const TEXT = [..."SR*V>DTq", "enter"];

  it.each([
    ["where the key has no meaning", ["h"], "a"],
    ["where a filter hides all variables", ["/", ..."zzz", "enter"], "e"],
    ["where there is no value to delete", ["j", "j", "j"], "x"],
    ["where there is nothing to undo", [], "u"],
    ["where there is nothing to redo", [], "U"],
  ])("%s", async (_where, before, key) => {
    const tui = await openTui();
    tui.press(...before);
    tui.press(key, ...TEXT);
    await tui.until(({ pending, notice }) => pending === undefined && notice !== undefined);
    // Letters as fast as a person types them.
    for (const text of [..."SRV>Tq"]) {
      tui.pass(0.3);
      tui.program.press({ name: text, text });
    }
    const { list, marks, revealed, stack, notice } = tui.state;
    expect([notice?.tone, list.isReversed, marks.names.size, revealed, stack, tui.events]).toEqual([
      "error",
      ...[false, 0, undefined, [], []],
    ]);
    tui.press("?");
    expect(tui.title()).toBe("Help");
  });
});

it("E and Alt-E open the value in the user's own editor", async () => {
  const texts: string[] = [];
  const tui = await openTui({
    edit: async (text) => {
      texts.push(text);
      return text.replace("1", "2");
    },
  });
  tui.press("j", "j", "E");
  await tui.shows(/▶ Change/, /- {5}1,|- {4}1,/);
  tui.press("enter");
  await tui.shows(/changed FLAGS/);
  expect(texts).toEqual(['{\n  "beta": [\n    1,\n    null\n  ]\n}']);
  expect(await tui.saved("FLAGS")).toEqual({ beta: [2, null] });
  tui.press("g", "E");
  await tui.shows(/DATABASE_URL is unchanged/);
  tui.press("a", "tab", "right", "tab", ..."1x", "tab", "alt-e");
  await tui.shows(/› value +2x[\s\S]*✗ a NUMBER must be/);
});

it("JSON that would lose digits when indented is opened in the user's own editor as it is", async () => {
  const texts: string[] = [];
  const edit = async (text: string) => {
    texts.push(text);
    return text;
  };
  const tui = await openTui({ edit });
  tui.press(
    "a",
    ..."BIG",
    "tab",
    "right",
    "right",
    "right",
    "tab",
    ..."[12345678901234567890]",
    "alt-e",
  );
  await tui.shows(/BIG is unchanged/);
  expect(texts).toEqual(["[12345678901234567890]"]);
});

it("an encrypted value is indented in the user's own editor, which gets only the schema if that has the focus", async () => {
  const KEY = "the key";
  const texts: string[] = [];
  const edit = async (text: string) => {
    texts.push(text);
    return text;
  };
  const data = shopOf({ name: "FLAGS", type: "JSON", values: [encrypt('{"a":1}', KEY)] });
  const tui = await openTui({ data, edit, encKeyFile: await keyFile(KEY) });
  tui.press("E");
  await tui.shows(/FLAGS is unchanged/);
  tui.press("e", "down", "down", "down", "down", "alt-e");
  await tui.until(({ pending }) => pending === undefined && texts.length === 2);
  expect(texts).toEqual(['{\n  "a": 1\n}', ""]);
});

it("an encrypted value is decrypted to reveal, copy and edit it, and encrypted again", async () => {
  const KEY = "the key";
  const values = SHOP.values.map((each) =>
    each.id === 11 ? { ...each, content: { value: encrypt("old", KEY) } } : each,
  );
  const tui = await openTui({ data: { ...SHOP, values }, encKeyFile: await keyFile(KEY) });
  tui.press("v");
  await tui.shows(/DATABASE_URL +STRING +old /);
  tui.press("y");
  await tui.shows(/copied DATABASE_URL/);
  expect(tui.copied).toEqual(["old"]);
  tui.press("e");
  expect(tui.frame()).toContain("(encrypted; type a new value)");
  tui.press(..."new", "ctrl-s");
  await tui.shows(/\+ new/, /- \(encrypted\)/);
  tui.press("enter");
  await tui.shows(/✓ changed DATABASE_URL/);
  expect(decrypt(String(await tui.saved("DATABASE_URL")), KEY)).toBe("new");
});

it("a change of only the description shows no value, and making a secret public has to be confirmed by its name", async () => {
  const tui = await openTui({ env: "shop/production" });
  tui.press("e", "tab", "!", "ctrl-s");
  await tui.shows(/Change the description of DATABASE_URL/);
  expect(tui.frame()).not.toContain(SECRET);
  tui.press("escape", "shift-tab", "!", "ctrl-s");
  await tui.shows(
    /This also changes the description, which all environments of the application share/,
  );
  tui.press("escape", "backspace", "tab");
  tui.press("tab", "tab", "right", "ctrl-s");
  await tui.shows(
    /Change the description and rules of DATABASE_URL/,
    /type DATABASE_URL to confirm/,
  );
});

it("keys that wait for the question of an edit don't answer the question whether to quit", async () => {
  const tui = await openTui();
  tui.press("e", "!", "ctrl-s", "ctrl-x", "enter", "ctrl-c");
  await tui.shows(/Quit, and lose your changes\?|▶ Change/);
  expect(tui.events).not.toContain("quit");
});
