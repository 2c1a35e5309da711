import { describe, expect, it } from "vitest";
import { ALL_COMMANDS } from "../../../src/tui/commands/all-commands.js";
import { withKeymap } from "../../../src/tui/commands/keymap.js";
import { openTui, SHOP } from "../support/tui.js";

const WIDE = { columns: 160 };

describe("a click", () => {
  it("on a row selects the variable and gives the list the focus, on a panel only the focus", async () => {
    const tui = await openTui(WIDE);
    tui.press("h");
    tui.click("FLAGS");
    expect(tui.frame()).toMatch(/▶ Variables 3\/5/);
    tui.click(" FLAGS ──");
    expect(tui.frame()).toMatch(/▶ FLAGS/);
    tui.click("NAME ");
    expect(tui.frame()).toMatch(/▶ Variables 3\/5/);
  });

  it("on a place moves the cursor there, and a second one soon after opens it", async () => {
    const tui = await openTui(WIDE);
    tui.click("test ");
    tui.pass(1);
    tui.click("test ");
    expect(tui.frame()).toMatch(/▶ Environments[\s\S]*› {2}test/);
    tui.click("test ");
    await tui.shows(/appvars {2}shop\/test/);
  });

  it("twice is Enter, whatever command has that key", async () => {
    const keymap = new Map(Object.entries({ open: ["o"], edit: ["enter"] }));
    const tui = await openTui({ ...WIDE, commands: withKeymap(ALL_COMMANDS, keymap) });
    for (let click = 0; click < 2; click++) tui.click("FLAGS  ");
    expect(tui.frame()).toMatch(/▶ Edit in development/);
  });

  it("on a hint in the footer or on a button presses its key", async () => {
    const tui = await openTui(WIDE);
    tui.click("reveal");
    expect(tui.frame()).toContain("values shown");
    tui.click("x delete");
    await tui.shows(/▶ Delete/);
    tui.pass(1);
    tui.click("[ Back ]");
    expect(tui.title()).toBe("Variables");
    tui.pass(1);
    tui.click("q quit");
    expect(tui.events).toEqual(["quit"]);
  });

  it("beside a question, or right after one that changed the screen there, changes nothing", async () => {
    const tui = await openTui(WIDE);
    tui.press("e");
    const before = tui.frame();
    tui.click("test ");
    expect(tui.frame()).toBe(before);
  });

  it("chooses a candidate, a format, a difference, a cell and a field", async () => {
    const tui = await openTui(WIDE);
    tui.press(":");
    tui.click("sort <order>");
    expect(tui.frame()).toMatch(/› s +sort <order>/);
    tui.press("escape", "Y");
    tui.click(" json ");
    expect(tui.frame()).toMatch(/› +json/);
    tui.press("escape", ...":diff test", "enter");
    await tui.shows(/→ test {2}1\/3/);
    tui.pass(1);
    tui.click("- DEBUG");
    expect(tui.frame()).toMatch(/→ test {2}2\/3/);
    tui.press("escape", "m");
    tui.click("FLAGS");
    expect(tui.frame()).toMatch(/▶ shop 3\/5/);
    tui.press("escape", "g", "e");
    tui.click("description");
    expect(tui.frame()).toMatch(/› description/);
    tui.click("optional");
    expect(tui.frame()).toMatch(/› optional +◂ no ▸/);
  });

  it("on the list keeps the filter that is being typed", async () => {
    const tui = await openTui(WIDE);
    tui.press("/", ..."d");
    tui.click("DEBUG");
    expect(tui.frame()).toMatch(/▶ Variables \d\/\d {2}\/d /);
  });
});

describe("the wheel", () => {
  it("scrolls the panel under it, with the cursor of a list on a visible row", async () => {
    const variables = Array.from({ length: 100 }, (_, index) => {
      return { id: index + 1, application: "shop", name: `V_${100 + index}`, type: "NUMBER", description: "" } as const;
    });
    const values = variables.map(({ id }) => ({ id, variable_id: id, environment_id: 1, content: { value: id } }));
    const tui = await openTui({ ...WIDE, data: { ...SHOP, variables, values } });
    tui.click("V_105", "wheel-down");
    expect(tui.frame()).toMatch(/›. ?.?V_103/);
    tui.click("production", "wheel-down");
    expect(tui.frame()).toMatch(/▶ Variables/);
    tui.press("?");
    tui.program.resize({ columns: 80, rows: 15 });
    tui.click("Help", "wheel-down");
    expect(tui.frame()).toMatch(/ 4\/\d+ /);
  });
});
