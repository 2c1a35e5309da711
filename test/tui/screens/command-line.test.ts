import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTui } from "../support/tui.js";

describe("the command line", () => {
  it.each([
    ["o", "open "],
    ["V", "reveal-all"],
    ["x", "delete"],
    ["open te", "open test"],
    ["open pd", "open production"],
    ["diff prod", "diff production"],
    ["type n", "type number"],
    ["env a", "env add "],
    ["quit x", "quit x"],
  ])("completes %o to %o with Tab", async (text, full) => {
    const tui = await openTui();
    tui.press(":", ...text, "tab");
    expect(tui.footer()).toMatch(new RegExp(`^ :${full} `));
  });

  it("lists commands with their keys, and why one can't run now", async () => {
    const tui = await openTui();
    tui.press(":", ..."redo");
    expect(tui.frame()).toMatch(/› redo +✗ nothing to redo +U/);
    tui.press("enter");
    expect(tui.footer()).toMatch(/^ :redo +✗ nothing to redo/);
    tui.press("ctrl-u", ..."sart", "enter");
    expect(tui.footer()).toMatch(/unknown command \(did you mean sort\?\)/);
    tui.press("escape");
    expect(tui.state.stack).toEqual([]);
  });

  it("goes through the list with the arrows, and runs the highlighted entry", async () => {
    const tui = await openTui();
    tui.press(":", ..."open ", "down", "down");
    expect(tui.frame()).toMatch(/› test/);
    tui.press("up", "up", "enter");
    await tui.shows(/appvars {2}shop\/production/);
  });

  it.each([
    [":open produktion", 'there is no place "produktion" (did you mean production?)'],
    [":copy csv", 'there is no format "csv"'],
    [":quit now", '"quit" takes no argument'],
    [":matrix foo", 'there is no row filter "foo"'],
  ])("refuses %s", async (text, problem) => {
    const tui = await openTui();
    tui.press(...text, "enter");
    expect(tui.frame()).toContain(problem);
  });

  it("finds a place with / in the list of places", async () => {
    const tui = await openTui();
    tui.press("h", "/", ..."tes", "enter");
    await tui.shows(/appvars {2}shop\/test/);
  });

  it("is left with Escape and with Backspace on an empty line", async () => {
    const tui = await openTui();
    for (const key of ["escape", "backspace"]) {
      tui.press(":", key);
      expect(tui.state.stack).toEqual([]);
    }
  });
});

describe("help", () => {
  it("shows all commands with their keys, and scrolls", async () => {
    const tui = await openTui({ rows: 15 });
    tui.press("?");
    expect(tui.frame()).toMatch(/▶ Help[\s\S]*\/ +:filter <text> +search names, descriptions and values/);
    expect(tui.footer()).toBe(" ↑↓ scroll  Esc back");
    tui.press("G");
    expect(tui.frame()).toContain("restore the terminal");
    tui.press("?");
    expect(tui.state.stack).toEqual([]);
    tui.press("?");
    tui.program.resize({ columns: 160, rows: 15 });
    expect(tui.frame()).toMatch(/┃ Find +Move +┃/);
  });
});

describe("files and environments", () => {
  it(":import asks first, and is one edit", async () => {
    const tui = await openTui();
    const file = join(dirname(tui.file.path), "my vars.env");
    await writeFile(file, "PORT=4000\nRETRIES=3\n");
    tui.press(...`:import "${file}" dotenv`, "enter");
    await tui.shows(/import 2 variables into development\?/);
    expect(await tui.saved("PORT")).toBe(3000);
    tui.press("enter");
    await tui.shows(/✓ imported 2 variables; u undoes it/);
    expect(await tui.saved("RETRIES")).toBe(3);
  });

  it.each([
    [":import /nowhere/a.env", /\/nowhere\/a.env/],
    [":import a.env doc", /there is no format "doc"; a name with spaces needs quotes|there is no format "doc"/],
  ])("%s is refused", async (text, problem) => {
    const tui = await openTui();
    tui.press(...text, "enter");
    await tui.shows(problem);
    expect(tui.state.stack.some(({ screen }) => screen.name === "review")).toBe(false);
  });

  it(":export writes the marked variables alone, and asks before it replaces a file", async () => {
    const tui = await openTui();
    const file = join(dirname(tui.file.path), "out.json");
    tui.press(" ", " ", ...`:export ${file}`, "enter");
    await tui.shows(/✓ wrote 2 variables to/);
    expect(Object.keys(JSON.parse(await readFile(file, "utf8")))).toEqual(["DATABASE_URL", "PORT"]);
    tui.press("escape", ...`:export ${file} yaml`, "enter");
    await tui.shows(/already exists\. Replace it\?/);
    tui.press("escape", ...`:export ${file} yaml`, "enter");
    await tui.shows(/already exists\. Replace it\?/);
    tui.press("enter");
    await tui.shows(/wrote 4 variables to/);
    expect(await readFile(file, "utf8")).toMatch(/^PORT: 3000$/m);
  });

  it("new credentials are masked until v, copied by y, and asked about before they are closed", async () => {
    const tui = await openTui();
    tui.press(...":env add staging", "enter");
    await tui.shows(/The new credentials of shop\/staging/, /API secret +•+/);
    expect(tui.footer()).toBe(" y copy  v show the secret  Esc close");
    tui.press("y");
    await tui.shows(/copied the credentials/);
    const secret = /APPVARS_API_SECRET='?([^'\n]+)/.exec(tui.copied[0] ?? "")?.[1] ?? "";
    expect(secret).not.toBe("");
    expect(tui.frame()).not.toContain(secret);
    tui.press("v");
    expect(tui.frame()).toContain(secret);
    tui.pass(31);
    expect(tui.frame()).not.toContain(secret);
    tui.press("ctrl-c");
    expect(tui.frame()).toContain("Quit without the new credentials of shop/staging? Ctrl-C again quits.");
    tui.press("escape", "escape");
    expect(tui.frame().replace(/\s*┃\n.*?┃\s*/g, " ")).toContain("Close the new credentials of shop/staging?");
    tui.press("ctrl-x");
    expect([tui.state.stack, tui.events]).toEqual([[], []]);
    expect(tui.frame()).toMatch(/staging +·/);
  });

  it("Ctrl-C in one burst with Enter does not quit without new credentials", async () => {
    const tui = await openTui({ env: "test" });
    tui.press(...":env rotate 24h", "enter");
    expect(tui.frame()).toContain("Clients with the old ones are refused after 24h.");
    tui.press("enter", "ctrl-c");
    expect(tui.frame()).toContain("Quit without the new credentials? Ctrl-C again quits.");
    await tui.shows(/The new credentials of shop\/test/);
    expect(tui.events).toEqual([]);
  });

  it(":env rotate of production needs the name of the environment", async () => {
    const tui = await openTui({ env: "production" });
    tui.press(...":env rotate", "enter", "enter");
    expect(tui.frame()).toContain("✗ first type shop/production");
  });
});
