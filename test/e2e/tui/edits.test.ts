import { describe, expect, it } from "vitest";
import { hasTmux } from "../../support/tmux.js";
import { atBottom, EXAMPLE, isOn, openTui, START, type Tui } from "../../tui/support/open-tui.js";

/** The value of a variable of shop/development in the file; undefined where it has none. */
async function savedValue(tui: Tui, name: string): Promise<unknown> {
  const { variables, values }: typeof EXAMPLE = JSON.parse(await tui.saved());
  const variable = variables.find((item) => item.application === "shop" && item.name === name);
  return values.find((item) => item.variable_id === variable?.id && item.environment_id === 1)?.content.value;
}

/** Data with another port of shop/development. */
function withPort(port: number, data = EXAMPLE): typeof EXAMPLE {
  const values = data.values.map((value) => (value.id === 4 ? { ...value, content: { value: port } } : value));
  return { ...data, values };
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal", () => {
  it("in a terminal e edits and u undoes, and only an answer writes the file", async () => {
    const tui = await openTui();
    const before = await tui.saved();
    await tui.keys("j", "e");
    await tui.until(/› value +3000/);
    await tui.keys("BSpace", "7", "C-s");
    await tui.until(/change PORT in shop\/development\?/, /- 3000[\s\S]*\+ 3007/);
    await tui.keys("n");
    await tui.until(/› value +3007/);
    await tui.keys("C-s");
    await tui.until(/change PORT in/);
    expect(await tui.saved()).toBe(before);
    await tui.keys("y");
    await tui.until(atBottom(/y is no answer/));
    await tui.keys("Tab", "Tab", "Enter");
    await tui.until(atBottom(/✓ changed PORT; u undoes it/));
    expect(await savedValue(tui, "PORT")).toBe(3007);
    await tui.until(/›~ PORT/);
    await tui.keys("u");
    await tui.until(/undo the change of PORT in shop\/development\?/, /- •+[\s\S]*\+ •+/);
    await tui.keys("v");
    await tui.until(/- 3007[\s\S]*\+ 3000/);
    expect(await savedValue(tui, "PORT")).toBe(3007);
    await tui.keys("C-s");
    await tui.until(atBottom(/✓ undid the change of PORT/));
    expect(JSON.parse(await tui.saved())).toMatchObject(EXAMPLE);
  });

  it("in a terminal x deletes, a adds, and an invalid value is refused before the confirmation", async () => {
    const tui = await openTui();
    await tui.keys("x");
    expect(await tui.until(/delete the value of DATABASE_URL in shop\/development\?/)).toContain("- ••••••••");
    await tui.keys("Escape");
    await tui.until(/▶ Variables/);
    expect(await savedValue(tui, "DATABASE_URL")).toBe("postgres://localhost/shop_dev");
    await tui.keys("x");
    await tui.until(/delete the value of DATABASE_URL in/);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ deleted the value of DATABASE_URL; u undoes it/));
    expect(await savedValue(tui, "DATABASE_URL")).toBeUndefined();
    await tui.until(/DATABASE_URL +STRING +\(no value\)/);
    await tui.keys("a");
    await tui.until(/› name/);
    await tui.type("RETRIES");
    await tui.keys("Tab", "Right", "Tab");
    await tui.type("many");
    await tui.keys("C-s");
    expect(await tui.until(/✗ .*[Nn][Uu][Mm][Bb][Ee][Rr]/)).not.toContain("?");
    await tui.keys("C-u", "3", "C-s");
    await tui.until(/add RETRIES to shop\/development\?/);
    expect(await savedValue(tui, "RETRIES")).toBeUndefined();
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ added RETRIES; u undoes it/), isOn("RETRIES"));
    expect(await savedValue(tui, "RETRIES")).toBe(3);
    await tui.until(/Variables 7\/7/);
    await tui.keys("u");
    await tui.until(/▶ Undo/);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ undid the change of RETRIES/));
    await tui.keys("u");
    await tui.until(/▶ Undo/);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ undid the change of DATABASE_URL/));
    expect(await savedValue(tui, "DATABASE_URL")).toBe("postgres://localhost/shop_dev");
    await tui.keys("u");
    await tui.until(atBottom(/nothing to undo/));
  });

  it("in a terminal a paste runs no command, and keeps its lines in a value", async () => {
    const tui = await openTui();
    const before = await tui.screen();
    await tui.paste("quit\nyes");
    await tui.keys("j");
    expect((await tui.until(isOn("PORT"))).split("\n")[0]?.slice(0, 60)).toBe(before.split("\n")[0]?.slice(0, 60));
    await tui.keys("k", "e");
    await tui.until(/› value/);
    await tui.keys("C-u");
    await tui.paste("quit\nyes");
    await tui.keys("C-s");
    await tui.until(/change DATABASE_URL in/, /\+ quit[\s\S]*\+ yes/);
    await tui.paste("y");
    await tui.keys("n");
    await tui.until(/› value/);
    await tui.keys("C-s");
    await tui.until(/change DATABASE_URL in/);
    expect(await savedValue(tui, "DATABASE_URL")).toBe("postgres://localhost/shop_dev");
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ changed DATABASE_URL/));
    expect(await savedValue(tui, "DATABASE_URL")).toBe("quit\nyes");
  });

  it("in a terminal a form asks before it drops typed text", async () => {
    const tui = await openTui();
    await tui.keys("e");
    await tui.until(/› value/);
    await tui.keys("x", "Escape");
    await tui.until(/Drop your changes\?/, /\[ Drop \] {2}\[ Back \]/);
    await tui.keys("Enter", "C-c");
    await tui.until(/Quit, and lose your changes\?/);
    await tui.keys("Escape");
    await tui.until((screen) => /shop_devx/.test(screen) && !screen.includes("Quit, and lose"));
    await tui.keys("C-c", "C-c");
    await tui.until((screen) => !/Edit in|Quit, and lose/.test(screen));
  });

  it("in a terminal the change of another program is compared with the typed value", async () => {
    const tui = await openTui();
    await tui.keys("j", "e");
    await tui.until(/› value +3000/);
    await tui.keys("1", "C-s");
    await tui.until(/- 3000[\s\S]*\+ 30001/);
    await tui.file.write(withPort(4000));
    await tui.keys("C-s");
    await tui.until(/PORT has been changed by another program/, /- 4000[\s\S]*\+ 30001/, /\[ Save over it \]/);
    await tui.keys("Enter");
    await tui.until(/› value +30001/);
    await tui.keys("C-s");
    await tui.until(/- 4000[\s\S]*\+ 30001/);
    await tui.keys("C-s");
    await tui.until(/Ctrl-S doesn't save over it/);
    await tui.keys("Tab", "Enter");
    await tui.until(atBottom(/✓ changed PORT/));
    expect(await savedValue(tui, "PORT")).toBe(30001);
  });

  it("in a terminal the name is typed before a value of production is deleted", async () => {
    const tui = await openTui({ command: `${START} --env shop/production` });
    await tui.keys("j", "x");
    await tui.until(/delete the value of PORT in shop\/production\?/, /type PORT to confirm: /);
    await tui.keys("Enter");
    await tui.until(/✗ first type PORT/);
    await tui.type("PORT");
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ deleted the value of PORT/));
  });

  it("in a terminal JSON is edited in several lines", async () => {
    const tui = await openTui();
    await tui.keys("/");
    await tui.type("FLAGS");
    await tui.keys("Enter", "e");
    await tui.until(/› value +\{/, /line 1\/\d+/);
    await tui.keys("Enter", "Up", "Down", "Down");
    await tui.until(/line 3\/\d+/);
    await tui.keys("C-s");
    await tui.until(atBottom(/nothing to change/));
  });
});
