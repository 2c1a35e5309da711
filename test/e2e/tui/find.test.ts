import { describe, expect, it } from "vitest";
import { hasTmux } from "../../support/tmux.js";
import { atBottom, isOn, openTui } from "../../tui/support/open-tui.js";

/** The underlined parts of a screen. */
function underlined(screen: string): string[] {
  const pieces: string[] = [];
  let isOn = false;
  // Each SGR code, and the text after it.
  for (const [, codes = "", text = ""] of screen.matchAll(/\x1b\[([\d;]*)m([^\x1b]*)/g)) {
    const all = codes.split(";");
    if (all.includes("0") || codes === "" || all.includes("24")) isOn = false;
    if (all[0] === "4" || /^0;.*\b4\b/.test(codes)) isOn = true;
    if (isOn && text !== "") pieces.push(text);
  }
  return pieces;
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal", () => {
  it("in a terminal / filters with each letter, and Esc clears the filter", async () => {
    const tui = await openTui();
    await tui.type("/~d");
    await tui.until(/▶ Variables 1\/\d {2}\/~d /);
    await tui.type("burl");
    await tui.until(
      /Variables 1\/1 {2}\/~dburl/,
      isOn("DATABASE_URL"),
      (screen) => !screen.includes("PORT"),
      /\n \/~dburl +1 of 6 /,
    );
    expect(underlined(await tui.screen({ colors: true }))).toEqual(["D", "B", "URL"]);
    await tui.keys("Escape");
    await tui.until(/Variables 1\/6 /);
    // The variable that was found stays selected if the filter was kept.
    await tui.type("/greet");
    await tui.until(isOn("GREETING"));
    await tui.keys("Enter", "Escape");
    await tui.until(/Variables \d\/6 /, isOn("GREETING"));
    // Descriptions match too; Enter keeps the filter, and Escape clears it.
    await tui.type("/errors");
    await tui.until(isOn("SENTRY_DSN"));
    await tui.keys("Enter");
    await tui.until(atBottom(/q quit/));
    await tui.keys("Escape");
    await tui.until(/Variables \d\/6 /);
  });

  it("in a terminal t shows one type after the other, and s sorts", async () => {
    const tui = await openTui();
    for (const [type, count] of [
      ["STRING", 3],
      ["NUMBER", 1],
      ["BOOLEAN", 1],
      ["JSON", 1],
    ] as const) {
      await tui.keys("t");
      await tui.until(new RegExp(`${count} of 6 · only ${type} `));
    }
    await tui.keys("t", "g");
    await tui.until(/6 variables/);
    const inOrder = (pattern: RegExp) => (screen: string) =>
      pattern.test((screen.match(/(?<=┃[› ][ ~+] )[A-Z_]+(?= +[A-Z]+ +[•(])/g) ?? []).join(" "));
    await tui.keys("s");
    await tui.until(/6 variables · by name/, inOrder(/^DATABASE_URL DEBUG FLAGS GREETING PORT SENTRY_DSN$/));
    await tui.keys("s");
    await tui.until(/6 variables · by type/, inOrder(/^DATABASE_URL GREETING SENTRY_DSN PORT DEBUG FLAGS$/));
    await tui.keys("s");
    await tui.until(/6 variables · \d+ s old/, inOrder(/^DATABASE_URL PORT DEBUG FLAGS GREETING SENTRY_DSN$/));
  });

  it("in a terminal a filter can have conditions, and S reverses the order", async () => {
    const tui = await openTui();
    await tui.type("/type:num");
    await tui.until(/Variables 1\/1 {2}\/type:num/, isOn("PORT"));
    await tui.keys("C-u");
    await tui.type("type:foo");
    await tui.until(/there is no type foo; use string/);
    await tui.keys("Escape");
    await tui.until(/6 variables/, atBottom(/q quit/));
    await tui.keys("s");
    await tui.until(/by name ↑/, /NAME ↑/);
    await tui.keys("S", "g");
    await tui.until(/by name ↓/, /NAME ↓/, isOn("SENTRY_DSN"));
  });

  it("in a terminal Space, R, * and ! mark variables, which x deletes in one edit", async () => {
    const tui = await openTui();
    await tui.keys("Space", "R", "j");
    await tui.until(/✓ 3 marked/, /✓DEBUG/);
    await tui.keys("R", "!");
    await tui.until(/✓ 3 marked/, /✓GREETING/);
    await tui.keys("*");
    await tui.until(/✓ 6 marked/);
    await tui.keys("*");
    await tui.until((screen) => !screen.includes("marked"));
    await tui.keys("g", "Space", "Space", "x");
    await tui.until(/2 variables/, /PORT/, /DATABASE_URL/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables 3\/6 {2}✓ 2 marked/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables 3\/6 /, (screen) => !screen.includes("marked"));
  });

  it("in a terminal ? shows the keys, and r reads again", async () => {
    const tui = await openTui();
    await tui.keys("?");
    await tui.until(/▶ Help/, /:filter <text>/);
    await tui.keys("G");
    await tui.until(/restore the terminal/);
    await tui.keys("q");
    await tui.until(/▶ Variables/);
    await tui.keys("r");
    await tui.until(/^ appvars {2}shop\/development .* 6 variables · 0 s old/);
  });

  it("in a terminal : shows matching commands, Tab completes, and Enter runs one", async () => {
    const tui = await openTui({ columns: 60, rows: 15 });
    await tui.type(":op");
    await tui.until(/› open <place> +open the place.* Enter/, atBottom(/^ :op /));
    await tui.keys("Tab");
    await tui.until(/shop\/development +open: vars.json/, /billing\/test +vars.json/, atBottom(/^ :open /));
    await tui.type("bipr");
    await tui.until(/› billing\/production/, (screen) => !screen.includes("billing/test"));
    await tui.keys("Enter");
    await tui.until(/billing\/production .* 4 variables/);
    await tui.type(":open shop");
    await tui.until(/› shop\/development/);
    await tui.keys("Down");
    await tui.until(/› shop\/test/);
    await tui.keys("Tab", "BTab", "Tab", "Tab");
    await tui.until(/› shop\/production/, atBottom(/^ :open shop\/production/));
    await tui.keys("Escape");
    await tui.until(atBottom(/q quit/));
    await tui.type(":redo");
    await tui.until(/› redo +✗ nothing to redo/);
    await tui.keys("Enter");
    await tui.until(atBottom(/^ :redo .*✗ nothing to redo/));
    await tui.keys("C-u");
    await tui.type("sart");
    await tui.keys("Enter");
    await tui.until(atBottom(/unknown command.*sort/));
    await tui.keys("Escape");
    await tui.until(/▶ Variables/);
  });
});
