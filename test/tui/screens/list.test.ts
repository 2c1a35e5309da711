import { describe, expect, it, test } from "vitest";
import { SECRET } from "../support/state.js";
import { openTui, SHOP } from "../support/tui.js";

/** The variable under the cursor. */
const selected = (frame: string) => /[┃│]›[ +~][ ✓] ?(\w+)/.exec(frame)?.[1];

describe("moving", () => {
  it.each([
    [["j"], "PORT"],
    [["down"], "PORT"],
    [["G"], "DEBUG"],
    [["end"], "DEBUG"],
    [["j", "k"], "DATABASE_URL"],
    [["G", "g"], "DATABASE_URL"],
    [["G", "g", "g"], "DATABASE_URL"],
    [["3", "j"], "UNSET"],
    [["1", "0", "j", "2", "k"], "FLAGS"],
    [["0", "j"], "PORT"],
    [["3", "t", "escape", "j"], "DATABASE_URL"],
    [["2", "h", "escape", "j"], "PORT"],
  ])("in the list %j goes to %s", async (keys, name) => {
    const tui = await openTui();
    tui.press(...keys);
    expect(selected(tui.frame())).toBe(name);
  });

  it("opens the next and the previous environment with ] and [, with the cursor on the same variable", async () => {
    const tui = await openTui();
    tui.press("j", "]");
    expect(selected(await tui.shows(/appvars {2}shop\/test/, /5 variables/))).toBe("PORT");
    tui.press("[", "[");
    expect(selected(await tui.shows(/appvars {2}shop\/production/, /5 variables/))).toBe("PORT");
    tui.press("]");
    await tui.shows(/appvars {2}shop\/development/, /5 variables/);
  });

  it("says that there is no other environment", async () => {
    const tui = await openTui({ data: { ...SHOP, environments: SHOP.environments.slice(0, 1), values: [] } });
    tui.press("]");
    expect(tui.footer()).toBe(" ✗ there is no other environment of this application");
  });

  it("scrolls the record from the list with J and K", async () => {
    const description = Array.from({ length: 100 }, (_, index) => `word-${index}`).join(" ");
    const tui = await openTui({
      columns: 100,
      data: { ...SHOP, variables: SHOP.variables.map((each) => ({ ...each, description })) },
    });
    const record = () => tui.frame().split("DATABASE_URL ─")[1] ?? "";
    expect(record()).toContain("STRING");
    tui.press("2", "J");
    expect(record()).not.toContain("STRING");
    tui.press("9", "K");
    expect(record()).toContain("STRING");
    expect(selected(tui.frame())).toBe("DATABASE_URL");
  });

  it("keeps the cursor visible when the terminal gets smaller", async () => {
    const tui = await openTui({ rows: 40 });
    tui.press("G");
    tui.program.resize({ columns: 60, rows: 15 });
    expect(selected(tui.frame())).toBe("DEBUG");
  });

  it("goes to the next panel with Tab, l and →, and back with Shift-Tab, h and ←", async () => {
    const tui = await openTui();
    const focused = (...keys: string[]) => {
      tui.press(...keys);
      return /▶ (\w+)/.exec(tui.frame())?.[1];
    };
    expect([focused("tab"), focused("l"), focused("right")]).toEqual(["DATABASE_URL", "Environments", "Variables"]);
    expect([focused("shift-tab"), focused("h"), focused("left")]).toEqual([
      "Environments",
      "DATABASE_URL",
      "Variables",
    ]);
    expect([focused("enter"), focused("enter")]).toEqual(["DATABASE_URL", "Variables"]);
    expect(focused("h", "j", "escape")).toBe("Variables");
  });

  it("opens another place with Enter, with the cursor on the same variable and all values masked", async () => {
    const tui = await openTui();
    tui.press("j", "V", "h", "j", "enter");
    const frame = await tui.shows(/appvars {2}shop\/test/, /2 of 5|5 variables/);
    expect(selected(frame)).toBe("PORT");
    expect(frame).not.toContain(SECRET);
  });
});

test.each(["x", "e", "y", "v", "t", "s", "a"])("with the places focused %s does nothing, and says so", async (key) => {
  const tui = await openTui();
  tui.press("h", key);
  expect(tui.footer()).toMatch(/"[a-z-]+" doesn't work in the list of places; Esc goes to the variables/);
  expect([tui.state.stack, tui.copied]).toEqual([[], []]);
});

describe("filter, type and sort", () => {
  it("follows each letter of a filter, the best matches first; Enter keeps it, and Escape clears it", async () => {
    const tui = await openTui();
    tui.press("/", ..."~durl");
    expect(tui.names).toEqual(["DATABASE_URL"]);
    expect(tui.footer()).toMatch(/^ \/~durl +1 of 5 {2}Enter keep {2}Esc cancel/);
    tui.press("enter");
    expect(tui.frame()).toContain("▶ Variables 1/1  /~durl");
    tui.press("/", ..."x", "escape");
    expect(tui.names).toEqual(["DATABASE_URL"]);
    tui.press("escape");
    expect(tui.names).toHaveLength(5);
  });

  it("goes back to the variable from before with Escape while it is typed", async () => {
    const tui = await openTui();
    tui.press("j", "/", ..."debug", "down");
    expect(selected(tui.frame())).toBe("DEBUG");
    tui.press("escape");
    expect([selected(tui.frame()), tui.names.length]).toEqual(["PORT", 5]);
  });

  it("searches values while they are shown, and says so if nothing matches", async () => {
    const tui = await openTui();
    tui.press("/", ...SECRET, "enter");
    expect(tui.names).toEqual([]);
    expect(tui.frame()).toMatch(/nothing matches "hunter2"; Esc clears the filter; masked values were not searched: V/);
    tui.press("V");
    expect(tui.names).toEqual(["DATABASE_URL"]);
    tui.pass(61);
    expect(tui.names).toEqual([]);
    tui.press("escape", "/", ..."'xyz");
    expect(tui.frame()).not.toContain("not searched");
  });

  it("takes letters of commands as text, and backspace on an empty filter closes it", async () => {
    const tui = await openTui();
    tui.press("/", ..."qvyx");
    expect([tui.names, tui.copied, tui.events]).toEqual([[], [], []]);
    tui.press("backspace", "backspace", "backspace", "backspace", "backspace");
    expect(tui.footer()).toContain("q quit");
  });

  it("shows each type with t, then all again", async () => {
    const tui = await openTui();
    const shown = Array.from({ length: 5 }, () => {
      tui.press("t");
      return tui.names.join();
    });
    expect(shown).toEqual(["DATABASE_URL", "PORT", "UNSET,DEBUG", "FLAGS", "DATABASE_URL,PORT,FLAGS,UNSET,DEBUG"]);
  });

  it("sorts with s by name, type and id, and S reverses the order; the cursor stays on its variable", async () => {
    const tui = await openTui();
    tui.press("j", "s");
    expect(tui.names).toEqual(["DATABASE_URL", "DEBUG", "FLAGS", "PORT", "UNSET"]);
    expect(selected(tui.frame())).toBe("PORT");
    expect(tui.frame()).toContain("by name ↑");
    tui.press("S");
    expect(tui.names).toEqual(["UNSET", "PORT", "FLAGS", "DEBUG", "DATABASE_URL"]);
  });

  it.each([
    [":filter data", ["DATABASE_URL"]],
    [":type json", ["FLAGS"]],
    [":sort name", ["DATABASE_URL", "DEBUG", "FLAGS", "PORT", "UNSET"]],
  ])("does the same with %s", async (text, names) => {
    const tui = await openTui();
    tui.press(...text, "enter");
    expect(tui.names).toEqual(names);
  });

  it.each([":type jsno", ":sort nane"])("suggests the correct word for %s", async (text) => {
    const tui = await openTui();
    tui.press(...text, "enter");
    expect(tui.footer()).toMatch(/did you mean (json|name)\?/);
  });
});

describe("marks", () => {
  it("marks with Space, R, * and !, and Escape removes range, filter and marks in turn", async () => {
    const tui = await openTui();
    tui.press(" ");
    expect(tui.frame()).toContain("▶ Variables 2/5  ✓ 1 marked");
    tui.press("R", "j", "j", "R");
    expect(tui.frame()).toContain("✓ 4 marked");
    tui.press("!");
    expect(tui.frame()).toContain("✓ 1 marked");
    tui.press("/", ..."port", "enter");
    expect(tui.frame()).toContain("✓ 1 marked (1 not listed)");
    tui.press("escape", "*");
    expect(tui.frame()).toContain("✓ 5 marked");
    tui.press("escape");
    expect(tui.frame()).not.toContain("marked");
  });

  it("lets y copy all that are marked", async () => {
    const tui = await openTui();
    tui.press(" ", " ", "y");
    await tui.shows(/copied 2 variables to the clipboard/);
    expect(tui.copied).toEqual([`${SECRET}\n3000`]);
  });
});

describe("values", () => {
  it("masks all at first; v shows one for 30 seconds, and V all for a minute", async () => {
    const tui = await openTui();
    expect(tui.frame()).not.toContain(SECRET);
    tui.press("v");
    expect(tui.frame()).toContain(SECRET);
    expect(tui.frame()).toContain("values shown 30 s");
    expect(tui.frame()).not.toContain("3000");
    tui.pass(31);
    expect(tui.frame()).not.toContain(SECRET);
    tui.press("V");
    expect(tui.frame()).toContain("3000");
    tui.pass(61);
    expect(tui.frame()).not.toContain("3000");
  });

  it.each([undefined, "all"] as const)(
    "shows a public value at once unless the setting masked is %s",
    async (masked) => {
      const variables = SHOP.variables.map((each) => (each.id === 1 ? { ...each, secret: false } : each));
      const tui = await openTui({ data: { ...SHOP, variables }, preferences: { masked } });
      const isShown = masked === undefined;
      const shows = () => expect(tui.frame().includes(SECRET)).toBe(isShown);
      shows();
      tui.press("e", "tab");
      expect(tui.frame()).toContain("▶ Edit in development");
      shows();
      tui.press("escape", "d", "enter");
      await tui.shows(/▶ development → test {2}1/);
      shows();
      tui.press("escape", "m");
      await tui.shows(/▶ shop 1\/5/, /differs/);
      shows();
      tui.press("escape", "x");
      await tui.shows(/delete the value of DATABASE_URL/);
      shows();
    },
  );

  it("shows an empty text as (empty), and blanks at the end as dots, in list, record, comparison and matrix", async () => {
    const texts: Record<number, string> = { 11: "a b  \nc ", 15: "" };
    const values = SHOP.values.map((each) => ({ ...each, content: { value: texts[each.id] ?? each.content.value } }));
    const tui = await openTui({ data: { ...SHOP, values } });
    tui.press("V");
    expect(tui.frame()).toMatch(/STRING +a b {2}\S{1,2}c· /);
    expect(tui.frame()).toMatch(/ a b·· /);
    tui.press("d", "enter");
    expect(await tui.shows(/▶ development → test/, /- a b·· /, /- c· /)).toMatch(/\+ \(empty\)/);
    tui.press("escape", "m");
    await tui.shows(/ a b·· /, / \(empty\) /);
    tui.press("escape", "]");
    await tui.shows(/appvars {2}shop\/test/, /5 variables/);
    tui.press("V");
    expect(tui.frame()).toMatch(/STRING +\(empty\)/);
  });

  it.each([
    [{ kind: "clipboard" } as const, "copied DATABASE_URL to the clipboard"],
    [
      { kind: "terminal", reason: "no xclip" } as const,
      "sent DATABASE_URL to the terminal's clipboard (OSC 52): no xclip",
    ],
    [{ kind: "failed", reason: "too long" } as const, "can't copy DATABASE_URL: too long"],
  ])("says whether a copy worked: %j", async (outcome, text) => {
    const tui = await openTui({ outcome });
    tui.press("y");
    await tui.until(() => tui.frame().includes(text));
  });

  it("copies with Y in the chosen form", async () => {
    const tui = await openTui();
    tui.press("Y");
    expect(tui.frame()).toMatch(/▶ Copy DATABASE_URL/);
    tui.press("j", "enter");
    await tui.shows(/copied DATABASE_URL as name=value/);
    tui.press("Y", "escape", "Y", "j", "j", "j", "j", "enter");
    await tui.shows(/copied the command for DATABASE_URL/);
    expect(tui.copied[0]).toBe(`DATABASE_URL=${SECRET}`);
    expect(tui.copied[1]).toMatch(/^appvars get DATABASE_URL --data .* --env shop\/development$/);
  });

  it("refuses to copy a variable without a value", async () => {
    const tui = await openTui();
    tui.press("j", "j", "j", "y");
    expect(tui.footer()).toBe(" ✗ UNSET has no value here");
  });
});

it("an older notice doesn't hide the keys of a new screen", async () => {
  for (const key of ["a", "e", "?", ":", "/"]) {
    const tui = await openTui();
    tui.press("h", "x", "escape", key);
    expect(tui.footer()).not.toContain("doesn't work");
  }
});

it("r reads again, q quits, Ctrl-C and Ctrl-Z work everywhere, and a paste runs no command", async () => {
  const tui = await openTui();
  tui.press("r");
  await tui.shows(/0 s old/);
  for (const text of ["quit\n", "enter", "x"]) tui.paste(text);
  expect([tui.state.stack, tui.events]).toEqual([[], []]);
  for (const key of ["/", ":", "?", "a"]) {
    tui.press(key, "ctrl-z", "ctrl-l", "ctrl-c", "escape");
    expect(tui.events.splice(0)).toEqual(["suspend", "redraw", "quit"]);
  }
  tui.press("q");
  expect(tui.events).toEqual(["quit"]);
});

it("on a screen that is too small only Ctrl-C acts", async () => {
  const tui = await openTui();
  tui.program.resize({ columns: 80, rows: 9 });
  tui.press("x", "q", "e", "enter");
  expect(tui.frame().trim()).toBe("Too small: 40x10 is needed. Ctrl-C quits.");
  expect([tui.events, tui.state.stack]).toEqual([[], []]);
  tui.press("ctrl-c");
  expect(tui.events).toEqual(["quit"]);
});

it("a screen that is too small warns of the changes that a second Ctrl-C would lose", async () => {
  const tui = await openTui();
  tui.press("e", "x");
  tui.program.resize({ columns: 100, rows: 9 });
  tui.press("ctrl-c");
  expect(tui.frame().trim()).toBe("Quit, and lose your changes? Ctrl-C again quits. Too small: 40x10 is needed.");
  expect(tui.events).toEqual([]);
  tui.press("ctrl-c");
  expect(tui.events).toEqual(["quit"]);
});

it("no screen shows control characters of names, values and descriptions", async () => {
  const hostile = "\u001b[31m\u0007\u202e";
  const data = {
    ...SHOP,
    variables: SHOP.variables.map((each) => ({ ...each, description: `${each.description} ${hostile.slice(5)}` })),
    values: SHOP.values.map((each) => ({ ...each, content: { value: hostile } })),
  };
  const tui = await openTui({
    data: { ...data, variables: data.variables.map((each) => ({ ...each, type: "STRING" as const })) },
  });
  tui.press("V");
  for (const keys of [["j"], ["d", "enter"], ["escape", "m"], ["escape", "e"], ["escape", "Y"], ["escape", "?"]]) {
    tui.press(...keys);
    expect(tui.frame()).not.toMatch(/[\u0007\u202e\u001b]/u);
  }
});
