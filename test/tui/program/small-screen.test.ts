import { describe, expect, it } from "vitest";
import { textWidth } from "../../../src/tui/text/graphemes.js";
import { openTui } from "../support/tui.js";

const SMALL = { columns: 40, rows: 10 };

describe("on a screen of 40x10", () => {
  it("only the focused panel is shown, and Tab goes to the next one", async () => {
    const tui = await openTui(SMALL);
    expect(tui.frame()).toMatch(/^ appvars {2}shop\/development.*\n┏━ ▶ Variables 1\/5 /);
    tui.press("tab");
    expect(tui.frame()).toMatch(/\n┏━ ▶ DATABASE_URL ━+┓\n[^╭]*\n┗.*┛\n Tab panel {2}v reveal/);
    tui.press("shift-tab", "shift-tab");
    expect(tui.frame()).toMatch(/\n┏━ ▶ Environments ━+┓\n[^╭]*\n┗.*┛\n Enter open/);
  });

  it("a comparison shows either its list or its detail", async () => {
    const tui = await openTui(SMALL);
    tui.press(...":diff test", "enter");
    expect(await tui.shows(/~ DATABASE_URL/)).not.toContain("╭");
    tui.press("v", "tab");
    expect(tui.frame()).toMatch(/▶ DATABASE_URL[^╭]*- hunter2[^╭]*\+ .*other/);
    tui.press("tab", "j");
    expect(tui.frame()).toMatch(/›- DEBUG/);
  });

  it("the matrix is one panel, with the value in its cell", async () => {
    const tui = await openTui(SMALL);
    tui.press("m", "v", "l");
    await tui.shows(/› {2}DATABASE_URL +~ other/, /DEBUG/);
    expect(tui.frame()).not.toContain("╭");
  });

  it("the focused field of a form, its problem and its footer are visible", async () => {
    const tui = await openTui(SMALL);
    tui.press("j", "e", "tab", ..."description", "shift-tab", "x", "ctrl-s");
    await tui.shows(/› value +3000x/, /✗ /, /Esc back/);
    tui.press("tab");
    expect(tui.frame()).toMatch(/› description/);
  });

  it("an edit of production shows its question, the name to type, the refusal and the buttons", async () => {
    const tui = await openTui({ ...SMALL, env: "production" });
    tui.press("x");
    await tui.shows(/Delete the value/, /to confirm:/, /\[ Delete \] {2}\[ Back \]/);
    tui.press("ctrl-s");
    expect(tui.frame()).toMatch(/✗ type DATABASE_URL first[\s\S]*\[ Delete \]/);
    tui.press(..."DATABASE_URL", "ctrl-s");
    await tui.shows(/✓ deleted the value/);
    expect(await tui.saved("DATABASE_URL")).toBeUndefined();
  });

  it("a question keeps its buttons and the keys that leave it", async () => {
    const tui = await openTui(SMALL);
    tui.press("e", "x", "escape");
    expect(tui.frame()).toMatch(/Discard your changes\?[\s\S]*\[ Discard \] {2}\[ Back \]/);
    tui.press("escape", "ctrl-x", "escape", "ctrl-x", "/", ..."database");
    expect(tui.footer()).toMatch(/^ \/database +1 of 5 {2}F1 help {2}Esc back$/);
  });
});

it("the footer shows a typed number, and always help and how to leave", async () => {
  const tui = await openTui({ columns: 60, rows: 15 });
  tui.press("1", "2");
  expect(tui.footer()).toMatch(/^ 12 {2}\/ filter .* \? help {2}q quit$/);
  tui.press("down", "m");
  expect(tui.footer()).toMatch(/^ > copy to {2}Enter open .* \? help {2}Esc back$/);
});

it("an ASCII terminal gets borders, signs and values in ASCII, in the same columns", async () => {
  const tui = await openTui({ isAscii: true, columns: 100 });
  tui.press("V");
  const ascii = tui.frame();
  expect(ascii).toMatch(/^[\n\x20-\x7e]*$/);
  expect(ascii).toMatch(/\+- > Variables 1\/5 -+\+\n.*\n\|>o development {2}v /);
  tui.press("e", "漢", "é");
  expect(tui.frame()).toMatch(/> value +hunter2\?\?\? /);
  for (const line of tui.frame().split("\n").slice(1, -1)) expect(textWidth(line)).toBe(100);
});

it("a notice of several lines covers the end of the panels", async () => {
  const tui = await openTui({ columns: 70, rows: 18 });
  tui.press(":", ..."import ", ..."no-such-folder/".repeat(9), "enter");
  await tui.shows(/✗ no-such-folder/);
  const lines = tui.frame().split("\n");
  expect(lines).toHaveLength(18);
  expect(lines.filter((line) => /^[╭│╰┏┃┗]/.test(line)).every((line) => line.length === 70)).toBe(
    true,
  );
  expect(lines.slice(-3).every((line) => !/[╭│╰┏┃┗]/.test(line))).toBe(true);
});
