import { describe, expect, it } from "vitest";
import { hasTmux } from "../support/tmux.js";
import { atBottom, isOn, openTui } from "./support/open-tui.js";

/** What is underlined on the screen, piece by piece. */
function underlined(screen: string): string[] {
  const pieces: string[] = [];
  let isOn = false;
  // Each code that changes how text looks, and the text behind it.
  for (const [, codes = "", text = ""] of screen.matchAll(/\x1b\[([\d;]*)m([^\x1b]*)/g)) {
    const all = codes.split(";");
    if (all.includes("0") || codes === "" || all.includes("24")) isOn = false;
    if (all[0] === "4" || /^0;.*\b4\b/.test(codes)) isOn = true;
    if (isOn && text !== "") pieces.push(text);
  }
  return pieces;
}

// Where there is no tmux there is no terminal to look at: CI installs it.
describe.skipIf(!hasTmux)("in a real terminal", () => {
  it("/ filters with each letter, shows what matches, and Esc takes the filter away", async () => {
    const tui = await openTui();
    await tui.keys("/", "d");
    await tui.until(/▶ Variables 1\/\d {2}\/d /);
    await tui.type("burl");
    const screen = await tui.until(/Variables 1\/1 {2}\/dburl/);
    expect(screen).toMatch(isOn("DATABASE_URL"));
    expect(screen).not.toContain("PORT");
    expect(screen).toMatch(/\n \/dburl +1 of 6 /);
    expect(underlined(await tui.screen({ colors: true }))).toEqual(["D", "B", "URL"]);
    await tui.keys("Escape");
    await tui.until(/Variables 1\/6 /);
    // Of descriptions too; kept with Enter, and then taken away.
    await tui.type("/errors");
    await tui.until(isOn("SENTRY_DSN"));
    await tui.keys("Enter");
    await tui.until(atBottom(/q quit/));
    await tui.keys("Escape");
    await tui.until(/Variables \d\/6 /);
  });

  it("t shows one type after the other, and s sorts", async () => {
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
    const order = (screen: string) => screen.match(/(?<=┃[› ][ ~+] )[A-Z_]+(?= +[A-Z]+ +[•(])/g);
    await tui.keys("s");
    expect(order(await tui.until(/6 variables · by name/))).toEqual([
      "DATABASE_URL",
      "DEBUG",
      "FLAGS",
      "GREETING",
      "PORT",
      "SENTRY_DSN",
    ]);
    await tui.keys("s");
    expect(order(await tui.until(/6 variables · by type/))?.at(-1)).not.toBe("SENTRY_DSN");
    await tui.keys("s");
    expect(order(await tui.until(/6 variables · \d+ s old/))).toEqual([
      "DATABASE_URL",
      "PORT",
      "DEBUG",
      "FLAGS",
      "GREETING",
      "SENTRY_DSN",
    ]);
  });

  it("? shows the keys, : runs commands that Tab completes, and r reads again", async () => {
    const tui = await openTui();
    await tui.keys("?");
    expect(await tui.until(/▶ Help/)).toMatch(/:filter <text>/);
    await tui.keys("G");
    await tui.until(/give the terminal back/);
    await tui.keys("q");
    await tui.until(/▶ Variables/);
    await tui.type(":op");
    await tui.keys("Tab");
    await tui.until(atBottom(/^ :open /));
    await tui.type("b");
    await tui.keys("Tab", "Tab");
    await tui.until(atBottom(/^ :open billing\/ .*billing\/test/));
    await tui.type("p");
    await tui.keys("Tab", "Enter");
    await tui.until(/^ appvars {2}billing\/production .* 4 variables/);
    await tui.type(":sart");
    await tui.keys("Enter");
    await tui.until(atBottom(/there is no such command.*sort/));
    await tui.keys("Escape");
    await tui.until(atBottom(/q quit/));
    await tui.keys("r");
    await tui.until(/^ appvars {2}billing\/production .* 4 variables · 0 s old/);
  });
});
