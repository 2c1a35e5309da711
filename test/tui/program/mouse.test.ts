import { describe, expect, test } from "vitest";
import { withKeymap } from "../../../src/tui/commands/keymap.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { screenContent } from "../../../src/tui/program/screen.js";
import { update } from "../../../src/tui/program/update.js";
import { selectedEntry } from "../../../src/tui/reading/selection.js";
import type { Effect } from "../../../src/tui/state/effects.js";
import type { Mode } from "../../../src/tui/state/modes.js";
import type { State } from "../../../src/tui/state/state.js";
import type { Line } from "../../../src/tui/text/line.js";
import { panelLines } from "../../../src/tui/view/panel.js";
import type { Mouse } from "../../../src/tui/widgets/key.js";
import { bigData } from "../support/source.js";
import { ENTRIES, entry, NOW, readyState } from "../support/state.js";
import { CONFIRMATION, FORM, MODES } from "../support/test-modes.js";

/** The screen as text, a line each. */
function screenLines(state: State): string[] {
  const { header, body, overlay, footer } = screenContent(state, ALL_COMMANDS);
  const text = (line: Line) => line.map((span) => span.text).join("");
  const columns = body.map((panels) => panels.flatMap(({ content, size }) => panelLines(content, size).map(text)));
  const rows = Array.from({ length: state.rows - 1 - footer.length }, (_, row) =>
    columns.map((lines) => lines[row]).join(""),
  );
  const over = overlay ? panelLines(overlay.content, overlay.size).map(text) : [];
  return [text(header), ...rows.slice(0, rows.length - over.length), ...over, ...footer.map(text)];
}

/** Uses the mouse on the first cell of a text on the screen, with all effects. */
function point(
  state: State,
  action: Mouse["action"],
  text: string,
  now = NOW,
  commands = ALL_COMMANDS,
): [State, readonly Effect[]] {
  const lines = screenLines(state);
  const row = lines.findIndex((line) => line.includes(text));
  if (row < 0) throw new Error(`"${text}" is not on the screen:\n${lines.join("\n")}`);
  const column = lines[row]?.indexOf(text) ?? 0;
  return [...update(state, { type: "mouse", mouse: { action, column, row }, now }, commands)];
}

const click = (state: State, text: string, now?: number) => point(state, "press", text, now)[0];

/** A list of several pages. */
const MANY = Object.entries(bigData(100)).map(([name, value]) => entry(name, value, "NUMBER"));

function testMode(kind: Mode["kind"]): Mode {
  return MODES.find((mode) => mode.kind === kind) ?? { kind: "browse" };
}

/** With the record beside the list. */
const WIDE = { columns: 160, rows: 30 };
const selected = (state: State) => selectedEntry(state)?.variable.name;

describe("a click", () => {
  test("on a row selects the variable, and gives the list the focus", () => {
    const state = click(readyState(ENTRIES, { ...WIDE, focus: "places" }), "FLAGS");
    expect([selected(state), state.focus]).toEqual(["FLAGS", "variables"]);
  });

  test("twice on a place opens it, even with another key for opening", () => {
    const commands = withKeymap(
      ALL_COMMANDS,
      new Map([
        ["open", ["o"]],
        ["edit", ["enter"]],
      ]),
    );
    const [first] = point(readyState(ENTRIES, WIDE), "press", "test", NOW, commands);
    expect(point(first, "press", "test", NOW + 100, commands)[0].place).toBe(1);
  });

  test("on a candidate of the command line chooses it, and a double click runs it", () => {
    const opened = update(readyState(ENTRIES, WIDE), { type: "key", key: { name: ":", text: ":" } }, ALL_COMMANDS)[0];
    const chosen = click(opened, "sort <order>");
    expect(chosen.mode).toMatchObject({ kind: "command", chosen: expect.any(Number) });
    expect(click(chosen, "sort <order>", NOW + 100).list.sort).toBe("name");
  });

  test("on a row of a scrolled list selects that row", () => {
    const state = readyState(MANY, { ...WIDE, list: { cursor: 60, top: 50 } });
    expect(selected(click(state, "NAME_55"))).toBe("NAME_55");
  });

  test("below the last row and on the border only gives the focus", () => {
    const before = readyState(ENTRIES, { ...WIDE, focus: "record" });
    for (const text of ["Variables 1/6", "NAME "]) {
      expect(click(before, text)).toMatchObject({ focus: "variables", list: before.list });
    }
    const mouse = { action: "press", column: 60, row: 20 } as const;
    expect(update(before, { type: "mouse", mouse, now: NOW })[0]).toMatchObject({
      focus: "variables",
      list: before.list,
    });
  });

  test("on the record gives it the focus", () => {
    expect(click(readyState(ENTRIES, WIDE), " DATABASE_URL ──").focus).toBe("record");
  });

  test("on a place moves the cursor there, and a second one opens it", () => {
    const once = click(readyState(ENTRIES, WIDE), " test ");
    expect(once).toMatchObject({ focus: "places", placeCursor: 1, place: 0 });
    const [twice, effects] = point(once, "press", " test ", NOW + 100);
    expect(twice).toMatchObject({ place: 1 });
    expect(effects).toMatchObject([{ type: "load", place: 1 }]);
  });

  test("is single if the one before was long ago or somewhere else", () => {
    const state = click(readyState(ENTRIES, WIDE), " test ");
    expect(click(state, " test ", NOW + 1_000).place).toBe(0);
    expect(click(state, " production ", NOW + 100)).toMatchObject({ place: 0, placeCursor: 2 });
  });

  test("on a hint in the footer presses its key", () => {
    expect(click(readyState(ENTRIES, WIDE), "reveal").revealed?.names).toContain("DATABASE_URL");
    expect(point(readyState(ENTRIES, WIDE), "press", "q quit")[1]).toEqual([{ type: "quit" }]);
    expect(click(readyState(ENTRIES, { mode: { kind: "help", top: 0 } }), "Esc back").mode.kind).toBe("browse");
    expect(click(readyState(ENTRIES, { mode: FORM }), "Tab next").mode).toMatchObject({ field: "type" });
  });

  test("on an answer gives it, in the confirmation and in the footer", () => {
    const asking = readyState(ENTRIES, { ...WIDE, mode: CONFIRMATION });
    const rows = screenLines(asking).flatMap((line, row) =>
      /back/i.test(line) ? [{ row, column: line.search(/back/i) }] : [],
    );
    expect(rows).toHaveLength(2);
    for (const at of rows) {
      const [state] = update(asking, { type: "mouse", mouse: { action: "press", ...at }, now: NOW });
      expect(state.mode.kind).toBe("browse");
    }
  });

  test("beside a question changes nothing", () => {
    for (const mode of [CONFIRMATION, FORM]) {
      const asking = readyState(ENTRIES, { ...WIDE, mode });
      expect(click(asking, " test ")).toMatchObject({ mode, focus: "variables", placeCursor: 0 });
    }
  });

  test("right after one that changed the screen there does nothing", () => {
    const asking = click(readyState(ENTRIES, WIDE), "e edit");
    expect(asking.mode.kind).toBe("form");
    const { column = 0, row = 0 } = asking.lastPress ?? {};
    const [state, effects] = update(asking, { type: "mouse", mouse: { action: "press", column, row }, now: NOW + 200 });
    expect([state, effects]).toEqual([asking, []]);
  });

  test("on the list keeps the filter that is being typed", () => {
    const typing = readyState(ENTRIES, {
      ...WIDE,
      mode: { kind: "filter", field: { text: "", cursor: 0 }, before: "" },
    });
    expect(click(typing, "PORT")).toMatchObject({ mode: { kind: "browse" }, list: { cursor: 1 } });
  });

  test("selects a difference, or a place to compare with", () => {
    expect(click(readyState(ENTRIES, { mode: testMode("diff") }), "~ PORT").mode).toMatchObject({ cursor: 2 });
    const pick = readyState(ENTRIES, { columns: 60, mode: testMode("pick") });
    expect(click(pick, " test ").mode).toMatchObject({ kind: "pick", cursor: 1 });
    expect(click(pick, "● development").mode).toEqual(pick.mode);
  });

  test("selects a format, and a second one copies", () => {
    const menu = readyState(ENTRIES, { mode: testMode("copy") });
    const once = click(menu, " json ");
    expect(once.mode).toMatchObject({ kind: "copy", cursor: 2 });
    expect(point(once, "press", " json ", NOW + 100)[1]).toMatchObject([{ type: "copy", format: "json" }]);
  });

  test("selects a field of a form, and a second one presses no Enter", () => {
    const form = readyState(ENTRIES, { mode: FORM });
    const once = click(form, " value ");
    expect(once.mode).toMatchObject({ kind: "form", field: "value" });
    expect(click(once, " value ", NOW + 100).mode).toEqual(once.mode);
    expect(click(form, "(fixed)").mode).toEqual(FORM);
  });

  test("on a screen that is too small is ignored", () => {
    const state = readyState(ENTRIES, { columns: 20, rows: 5 });
    expect(update(state, { type: "mouse", mouse: { action: "press", column: 1, row: 4 }, now: NOW })[1]).toEqual([]);
  });
});

describe("the wheel", () => {
  test("scrolls the list, with the cursor on a visible row", () => {
    const [down] = point(readyState(MANY, WIDE), "wheel-down", "NAME_5 ");
    expect(down.list).toMatchObject({ top: 3, cursor: 3 });
    const [up] = point({ ...down, list: { ...down.list, cursor: 20 } }, "wheel-up", "NAME_5 ");
    expect(up.list).toMatchObject({ top: 0, cursor: 20 });
  });

  test("scrolls the panel under the mouse, focused or not", () => {
    const long = [entry("LONG", Object.fromEntries(MANY.map(({ variable }) => [variable.name, 1])), "JSON"), ...MANY];
    const revealed = { names: "all", decrypted: new Map(), until: NOW + 1 } as const;
    const state = readyState(long, { ...WIDE, revealed });
    expect(point(state, "wheel-down", " LONG ──")[0]).toMatchObject({
      recordTop: 3,
      focus: "variables",
      list: state.list,
    });
    expect(point(state, "wheel-down", " test ")[0]).toMatchObject({ placeCursor: 2, focus: "variables" });
  });

  test("presses the arrow keys where text has no scrolling of its own", () => {
    const help = readyState(ENTRIES, { mode: { kind: "help", top: 0 } });
    expect(point(help, "wheel-down", "Find")[0].mode).toMatchObject({ top: 3 });
  });

  test("does nothing on the header and the footer", () => {
    const state = readyState(MANY, WIDE);
    for (const row of [0, 29]) {
      const mouse = { action: "wheel-down", column: 5, row } as const;
      expect(update(state, { type: "mouse", mouse, now: NOW })[0]).toBe(state);
    }
  });
});
