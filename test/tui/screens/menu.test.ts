import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { openTui, remoteProgram, SHOP } from "../support/tui.js";

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
  ])("completes %o to %o with Tab", async (text, full) => {
    const tui = await openTui();
    tui.press(":", ...text, "tab");
    expect(tui.footer()).toMatch(new RegExp(`^ :${full} `));
  });

  it("lists commands with their keys, and says why one can't run now", async () => {
    const tui = await openTui();
    tui.press("j", "j", "j", ":", ..."copy-to");
    expect(tui.frame()).toMatch(/› +> +copy-to <place> +✗ UNSET has no value here/);
    tui.press("enter");
    expect(tui.frame()).toMatch(/✗ UNSET has no value here\s+:copy-to /);
    tui.press("ctrl-u", ..."sart", "enter");
    expect(tui.frame()).toMatch(/✗ there is no command "sart" \(did you mean sort\?\)\s+:sart /);
    tui.press("escape");
    expect(tui.title()).toBe("Variables");
  });

  it("goes through the list with the arrows, and runs the highlighted entry", async () => {
    const tui = await openTui();
    tui.press(":", ..."open", "enter", "down");
    expect(tui.frame()).toMatch(/› +test/);
    tui.press("down", "enter");
    await tui.shows(/appvars {2}shop\/production/);
  });

  it.each([
    [":open produktion", 'there is no place "produktion" (did you mean production?)'],
    [":copy csv", 'there is no format "csv"'],
    [":quit now", '"quit" takes no argument'],
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
      expect(tui.title()).toBe("Variables");
    }
  });
});

describe("help", () => {
  it("lists the commands of the panel by group, finds one with /, and runs it with Enter", async () => {
    const tui = await openTui({ rows: 40 });
    tui.press("?");
    expect(tui.frame()).toMatch(/▶ Help[\s\S]*┃ Find[\s\S]*\/ +filter +search names, descriptions/);
    expect(tui.frame()).not.toMatch(/find-place|next-difference/);
    expect(tui.footer()).toBe(" Enter run  ↑↓ move  / find  ? help  Esc back");
    tui.press("/", ..."reverse", "enter");
    expect(tui.title()).toBe("Variables");
    expect(tui.frame()).toContain("by id ↓");
  });

  it("shows the complete help of the command under the cursor, and says why one can't run", async () => {
    const tui = await openTui({ rows: 20, columns: 100 });
    tui.press("j", "j", "j", "?");
    expect(tui.frame()).toMatch(/name:port searches only names; missing,/);
    tui.press("/", ..."copy-to");
    expect(tui.frame()).toMatch(/› +> +copy-to +✗ UNSET has no value here/);
    tui.press("enter");
    expect(tui.frame()).toMatch(/✗ UNSET has no value here\s+\/copy-to/);
    tui.press("escape", "?");
    expect(tui.title()).toBe("Variables");
  });

  it("lists the keys of the matrix there, and runs them on it", async () => {
    const tui = await openTui({ rows: 40 });
    tui.press("m", "?");
    expect(tui.frame()).toMatch(/n +next-difference/);
    expect(tui.frame()).not.toMatch(/ copy-other /);
    tui.press("/", ..."filter-rows", "enter");
    expect(tui.frame()).toContain("only differing");
  });

  it.each([
    [
      "e",
      "f1",
      /Alt-E +edit the value .or the schema. in your own editor[\s\S]*Ctrl-W +delete the word to the left/,
    ],
    ["x", "?", /v +show values/],
    ["/", "f1", /Enter +keep[\s\S]*Ctrl-U +delete to the start of the line/],
    [":", "f1", /Tab +complete/],
  ])(
    "lists the fixed keys where %s was pressed with %s, and goes back",
    async (key, help, expected) => {
      const tui = await openTui({ rows: 40 });
      tui.press(key);
      await tui.until(({ pending }) => pending === undefined);
      const before = tui.title();
      expect(tui.footer()).toContain(`${help === "?" ? "?" : "F1"} help`);
      tui.press(help);
      expect(tui.frame()).toMatch(expected);
      tui.press(help);
      expect(tui.title()).toBe(before);
    },
  );

  it("leaves ? as text in a text input, and runs a fixed key with Enter", async () => {
    const tui = await openTui();
    tui.press("e", "?", "f1", "/", ..."next field", "enter");
    expect(tui.frame()).toMatch(/› description/);
    expect(tui.frame()).toMatch(/value +•+/);
    tui.press("shift-tab");
    expect(tui.frame()).toContain("hunter2?");
  });
});

describe("files and environments", () => {
  it(":import asks first, and is one edit", async () => {
    const tui = await openTui();
    const file = join(dirname(tui.file.path), "my vars.env");
    await writeFile(file, "PORT=4000\nRETRIES=3\n");
    tui.press(...`:import "${file}" dotenv`, "enter");
    await tui.shows(/Import 2 variables into development\?/);
    expect(await tui.saved("PORT")).toBe(3000);
    tui.press("enter");
    await tui.shows(/✓ imported 2 variables; u undoes it/);
    expect(await tui.saved("RETRIES")).toBe(3);
  });

  it.each([
    [":import /nowhere/a.env", /\/nowhere\/a.env/],
    [
      ":import a.env doc",
      /there is no format "doc"; a name with spaces needs quotes|there is no format "doc"/,
    ],
  ])("%s is refused", async (text, problem) => {
    const tui = await openTui();
    tui.press(...text, "enter");
    await tui.shows(problem);
    expect(tui.frame()).not.toContain("[ Back ]");
  });

  it(":import and :env add ask for a missing argument, and :export says what is wrong with it", async () => {
    const tui = await openTui();
    tui.press(...":import", "enter");
    await tui.shows(/Which file do you want to import\?/);
    tui.press("enter");
    expect(tui.frame()).toContain("✗ enter a file name");
    tui.press(...`${dirname(tui.file.path)}/va`, "tab");
    await tui.shows(new RegExp(`file: ${tui.file.path}`));
    tui.press("escape", ...":export", "enter", ..."a b", "enter");
    expect(tui.frame()).toContain('✗ there is no format "b"; a name with spaces needs quotes');
    tui.press("escape", ...":env add", "enter", ..."staging", "enter");
    await tui.shows(/The new credentials of shop\/staging/);
  });

  it(":export writes only the marked variables, and asks before it replaces a file", async () => {
    const tui = await openTui();
    const file = join(dirname(tui.file.path), "out.json");
    tui.press(" ", " ", ...`:export ${file}`, "enter");
    await tui.shows(/✓ wrote 2 variables of development to/);
    expect(Object.keys(JSON.parse(await readFile(file, "utf8")))).toEqual(["DATABASE_URL", "PORT"]);
    tui.press("escape", ...`:export ${file} yaml`, "enter");
    await tui.shows(/already exists\. Replace it\?/);
    tui.press("escape", ...`:export ${file} yaml`, "enter");
    await tui.shows(/already exists\. Replace it\?/);
    tui.press("enter", ...`:export ${file} yaml`, "enter");
    await tui.shows(/already exists\. Replace it\?/);
    tui.press("ctrl-x");
    await tui.shows(/wrote 4 variables of development to/);
    expect(await readFile(file, "utf8")).toMatch(/^PORT: 3000$/m);
  });

  it("new credentials are masked until v, copied by y, and closed only after a question", async () => {
    const tui = await openTui();
    tui.press(...":env add staging", "enter");
    await tui.shows(/The new credentials of shop\/staging/, /API secret +•+/);
    expect(tui.footer()).toBe(
      " y copy  Enter choose  Tab next button  v show values  ? help  Esc back",
    );
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
    expect(tui.frame()).toContain(
      "Quit without the new credentials of shop/staging? Press Ctrl-C again to quit.",
    );
    tui.press("escape");
    for (const key of ["escape", "enter"]) {
      tui.press("escape", key);
      expect(tui.frame()).toContain("The new credentials of shop/staging");
    }
    tui.press("enter");
    expect(tui.frame()).toContain("Close without the new credentials of shop/staging?");
    expect(tui.copied).toHaveLength(1);
    tui.press("ctrl-x");
    expect([tui.title(), tui.events]).toEqual(["Variables", []]);
    await tui.shows(/staging +✓/);
  });

  it("Ctrl-C in one burst with Enter does not quit without new credentials", async () => {
    const tui = await openTui({ env: "test" });
    tui.press(...":env rotate 24h", "enter");
    expect(tui.frame()).toContain("Clients with the old credentials are refused after 24h.");
    tui.press("enter", "ctrl-c");
    expect(tui.frame()).toContain("Quit without the new credentials? Press Ctrl-C again to quit.");
    await tui.shows(/The new credentials of shop\/test/);
    expect(tui.events).toEqual([]);
  });

  it("a question whether to quit during a write closes when the write ends", async () => {
    const tui = await openTui();
    tui.press("x");
    await tui.shows(/▶ Delete/);
    tui.press("enter", "ctrl-c");
    expect(tui.frame()).toContain("Quit before");
    await tui.shows(/✓ deleted the value/, /▶ Variables/);
  });

  it("the help of a path lists no letters as keys", async () => {
    const tui = await openTui();
    tui.press(...":import", "enter", "f1");
    expect(tui.frame()).toMatch(/Shift-Tab +previous button/);
    expect(tui.frame()).not.toMatch(/ n +back|other button/);
  });

  it(":env rotate of production needs the name of the environment", async () => {
    const tui = await openTui({ env: "production" });
    tui.press(...":env rotate", "enter", "enter", "enter");
    expect(tui.frame()).toContain("✗ type shop/production first");
  });
});

describe("a menu of places", () => {
  it("> marks places with Space and *, finds them with /, and copies to the one that is chosen", async () => {
    const tui = await openTui();
    tui.press(">", " ");
    expect(tui.frame()).toMatch(
      /▶ ✓ 1 marked {2}Copy DATABASE_URL to[\s\S]*✓test[\s\S]*› production/,
    );
    tui.press("*");
    expect(tui.frame()).toContain("✓ 2 marked");
    tui.press("*", "/", ..."prod");
    expect(tui.frame()).not.toMatch(/marked|┃. ?test/);
    tui.press("escape");
    expect(tui.frame()).toMatch(/›.*test[\s\S]*production/);
    tui.press("/", ..."prod", "enter");
    await tui.shows(/Copy DATABASE_URL to production\?/);
    expect(await tui.saved("DATABASE_URL", "production")).toBe("live hunter2");
  });

  it("stays open below the review of its edit, with its marks", async () => {
    const tui = await openTui();
    tui.press(">", "*", "enter");
    await tui.shows(/Copy DATABASE_URL to test and production\?/);
    tui.press("escape");
    expect(tui.frame()).toMatch(/✓ 2 marked {2}Copy DATABASE_URL to/);
    tui.press("enter");
    await tui.shows(/Copy DATABASE_URL to test and production\?/);
    tui.press(..."DATABASE_URL", "enter");
    await tui.shows(/✓ copied DATABASE_URL to test and production/, /▶ Variables/);
  });

  it("shows the named keys of an environment, and what they can read", async () => {
    // Longer than what the random name of a folder may contain.
    const secret = "secret-of-worker";
    const keys = [{ name: "worker", only: ["PORT", "DB_*"], api_key: "k9", api_secret: secret }];
    const environments = SHOP.environments.map((each) =>
      each.name === "test" ? { ...each, keys } : each,
    );
    const tui = await openTui({ data: { ...SHOP, environments } });
    tui.press(">");
    expect(tui.frame()).toMatch(/test .* keys: worker \(PORT, DB_\*\)/);
    expect(tui.frame()).not.toContain(secret);
  });

  it("d opens a menu that a double click chooses from, and finds places by letters", async () => {
    const tui = await openTui();
    tui.press("d", "/", ..."'prod");
    expect(tui.frame()).not.toMatch(/┃.*production/);
    tui.press("ctrl-u", ..."pdc");
    expect(tui.frame()).not.toMatch(/┃. test/);
    tui.click("production  /");
    tui.click("production  /");
    await tui.shows(/▶ development → production/);
  });
});

describe("without any settings", () => {
  it("the first screen says what to do, and creates the example", async () => {
    const cwd = await temporaryFolder();
    const tui = await remoteProgram({}, { cwd });
    tui.program.resize({ columns: 40, rows: 10 });
    expect(tui.frame()).toMatch(/▶ Welcome[\s\S]*› +try the example[\s\S]*open a data file/);
    tui.program.resize({ columns: 100, rows: 30 });
    expect(tui.frame()).toMatch(
      /▶ Welcome to appvars[\s\S]*No server or data file is configured yet[\s\S]*› +try the example/,
    );
    tui.press("enter");
    await tui.shows(/appvars {2}default\/development/, /▶ Variables 1\/\d+/, /│›● development/);
    expect(tui.frame()).not.toContain("127.0.0.1");
    expect(await readFile(join(cwd, "appvars.data.json"), "utf8")).toContain("DATABASE_URL");
  });

  it("the first screen opens a data file by its path, which Tab completes, and follows its environments", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "my vars.json"), JSON.stringify(SHOP));
    const tui = await remoteProgram({}, { cwd });
    tui.press("j", "enter", ..."nope", "enter");
    await tui.shows(/✗ .*nope/, /▶ Welcome/);
    tui.press("j", "enter", ..."my", "tab");
    await tui.shows(/file: "my vars\.json"/);
    tui.press("enter");
    await tui.shows(/appvars {2}shop\/development/, /DATABASE_URL/);
    const environment = {
      id: 4,
      application: "shop",
      name: "staging",
      api_key: "k4",
      api_secret: "s4",
    };
    await writeFile(
      join(cwd, "my vars.json"),
      JSON.stringify({ ...SHOP, environments: [...SHOP.environments, environment] }),
    );
    await tui.shows(/staging +✓/);
  });

  it("the first screen offers the data file of the folder", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "appvars.data.json"), JSON.stringify(SHOP));
    const tui = await remoteProgram({}, { cwd });
    expect(tui.frame()).not.toContain("try the example");
    tui.press("enter");
    await tui.shows(/appvars {2}shop\/development/, /production +·/);
  });
});
