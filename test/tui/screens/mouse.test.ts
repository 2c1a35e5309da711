import { describe, expect, it } from "vitest";
import { ALL_COMMANDS } from "../../../src/tui/commands/all-commands.js";
import { withKeymap } from "../../../src/tui/commands/keymap.js";
import { openTui, SHOP } from "../support/tui.js";

const WIDE = { columns: 160 };

describe("a click", () => {
  it("on a row selects the variable and focuses the list, and on a panel only focuses it", async () => {
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

  it("beside a question, or right after a click that changed the screen there, changes nothing", async () => {
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

describe("the target of the mouse has to be on the screen:", () => {
  it("a press before a question opens does not answer it, nor one right after", async () => {
    const tui = await openTui(WIDE);
    tui.press("x");
    await tui.shows(/▶ Delete/);
    const button = tui.cellOf("[ Delete ]");
    const press = () => tui.program.mouse({ action: "press", ...button });
    tui.press("escape");
    tui.frame();
    tui.press("x");
    press();
    await tui.until(({ pending, stack }) => pending === undefined && stack.length > 0);
    press();
    tui.frame();
    press();
    expect([tui.title(), tui.state.pending]).toEqual(["Delete", undefined]);
    tui.click("[ Delete ]");
    await tui.shows(/deleted the value of DATABASE_URL/);
  });

  it.each<[string, (tui: Awaited<ReturnType<typeof openTui>>) => void]>([
    ["a menu", (tui) => tui.press("Y")],
    ["a form", (tui) => tui.press("e")],
    ["another place", (tui) => tui.press("]")],
    ["a screen of another size", (tui) => tui.program.resize({ columns: 160, rows: 29 })],
  ])(
    "neither a press nor the wheel acts on %s that has appeared in the meantime",
    async (_what, change) => {
      const tui = await openTui(WIDE);
      const cell = tui.cellOf("FLAGS  ");
      change(tui);
      const { state } = tui;
      for (const action of ["press", "wheel-down"] as const) tui.program.mouse({ action, ...cell });
      expect(tui.state).toBe(state);
    },
  );

  it("a press does nothing on a row that a key, the wheel or another program has just moved there", async () => {
    const tui = await openTui(WIDE);
    const press = () => {
      const { state } = tui;
      tui.program.mouse({ action: "press", ...cell });
      return tui.state === state;
    };
    let cell = tui.cellOf("DATABASE_URL  ");
    tui.pass(1);
    expect(press()).toBe(false);
    tui.pass(1);
    tui.press("S");
    expect(press()).toBe(true);
    tui.press("S");
    cell = tui.cellOf("PORT  ");
    const values = SHOP.values.filter(({ variable_id }) => variable_id !== 1);
    await tui.file.write({ ...SHOP, variables: SHOP.variables.slice(1), values });
    await tui.until(() => {
      tui.pass(1);
      return tui.names.length === 4;
    });
    expect(press()).toBe(true);
    tui.click("FLAGS  ");
    expect(tui.frame()).toMatch(/▶ Variables 2\/4/);
  });
});

describe("the wheel", () => {
  it("scrolls the panel under it, with the cursor of a list on a visible row", async () => {
    const variables = Array.from({ length: 100 }, (_, index) => {
      return {
        id: index + 1,
        application: "shop",
        name: `V_${100 + index}`,
        type: "NUMBER",
        description: "",
      } as const;
    });
    const values = variables.map(({ id }) => ({
      id,
      variable_id: id,
      environment_id: 1,
      content: { value: id },
    }));
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
