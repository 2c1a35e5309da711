import { describe, expect, it } from "vitest";
import type { Data } from "../../../src/store/data.js";
import { hasTmux } from "../../support/tmux.js";
import { atBottom, EXAMPLE, openTui, type Tui } from "../../tui/support/open-tui.js";

/** The example without shop/test, and with another port, which shows that it was read. */
function withoutTest(): Data {
  const values = EXAMPLE.values.map((value) => (value.id === 4 ? { ...value, content: { value: 3001 } } : value));
  return {
    ...EXAMPLE,
    environments: EXAMPLE.environments.filter((environment) => environment.id !== 2),
    values: values.filter((value) => value.environment_id !== 2),
  };
}

/** The example with one difference between development and test: two of a hundred lines. */
function withLongValues(): Data {
  const lines = (text: string) =>
    Array.from({ length: 100 }, (_, index) => `${index === 10 || index === 70 ? text : "line"} ${index}`).join("\n");
  const value = (id: number, environment_id: number, text: string) => {
    return { id, variable_id: 5, environment_id, content: { value: lines(text) } };
  };
  return { ...EXAMPLE, values: [value(1, 1, "line"), value(2, 2, "other")] };
}

async function compareWithTest(tui: Tui): Promise<void> {
  await tui.type(":diff shop/test");
  await tui.keys("Enter");
  await tui.until(/shop\/development → shop\/test {2}1\/\d/);
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal d", () => {
  it("in a terminal d compares two environments side by side, and v reveals values", async () => {
    const tui = await openTui({ columns: 100 });
    await tui.keys("d");
    await tui.until(/Compare shop\/development with/, /┃› {2}test /);
    await tui.keys("j");
    await tui.until(/┃› {2}production /);
    await tui.keys("Enter");
    await tui.until(
      /shop\/development → shop\/production {2}1\/6/,
      /›~ DATABASE_URL +•+ +•+/,
      /\+ SENTRY_DSN +\(missing\) +•+/,
    );
    await tui.keys("G", "k");
    await tui.until(/›~ PORT +•/);
    await tui.keys("v");
    await tui.until(/›~ PORT +3000 +8080/, /~ DATABASE_URL +•+ +•+/);
    await tui.keys("V");
    await tui.until(/~ GREETING +Hello, it's "devel.* +Welcome/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables/);
    await tui.type(":diff shop/test");
    await tui.keys("Enter");
    await tui.until(/shop\/development → shop\/test {2}1\/5/);
  });

  it("in a terminal a value is copied in either direction, and u undoes it", async () => {
    const tui = await openTui({ columns: 100 });
    await compareWithTest(tui);
    await tui.keys("G", "V");
    await tui.until(/›~ PORT +3000 +0 /);
    await tui.keys(">");
    await tui.until(/copy PORT to shop\/test\?/, /- ••••••••[\s\S]*\+ ••••••••/);
    await tui.keys("Enter");
    await tui.until(/shop\/development → shop\/test {2}4\/4/, atBottom(/✓ copied PORT.*; u undoes it/));
    await tui.keys("u");
    await tui.until(/undo .*PORT/);
    await tui.keys("Enter");
    await tui.until(/→ shop\/test {2}4\/5/, /~ PORT +3000 +0 /);
    await tui.keys("n", "<");
    await tui.until(/copy PORT to shop\/development\?/);
    await tui.keys("v");
    await tui.until(/- 3000[\s\S]*\+ 0/);
    await tui.keys("Enter");
    await tui.until(/→ shop\/test {2}4\/4/);
  });

  it("in a terminal a difference is found, copied and edited, and the comparison follows", async () => {
    const tui = await openTui({ columns: 100 });
    await compareWithTest(tui);
    await tui.keys("/");
    await tui.type("gr");
    await tui.until(/1\/1 {2}\/gr/, /›~ GREETING/, atBottom(/\/gr .*1 of 5/));
    await tui.keys("Enter", "y");
    await tui.until(atBottom(/GREETING/));
    await expect.poll(() => tui.clipboard()).toBe('Hello, it\'s "development" 👋');
    await tui.keys("Escape");
    await tui.until(/→ shop\/test {2}4\/5/, /›~ GREETING/);
    await tui.keys("N", "Y");
    await expect.poll(() => tui.clipboard()).toBe('{"checkout_v2":true,"themes":["light"]}');
    await tui.keys("G", "e");
    await tui.until(/› value +3000/);
    await tui.keys("C-u", "0", "C-s");
    await tui.until(/change PORT in shop\/development\?/);
    await tui.keys("Enter");
    await tui.until(/→ shop\/test {2}4\/4/, atBottom(/✓ changed PORT/));
  });

  it("in a terminal the diff of two long values is scrolled, and n goes from change to change", async () => {
    const tui = await openTui({ content: withLongValues() });
    await compareWithTest(tui);
    await tui.until(/›~ GREETING/);
    await tui.keys("v", "Tab");
    await tui.until(/▶ GREETING {2}change 1\/2/, /… 7 equal lines …/, /- line 10\b/, /\+ other 10\b/, / 1-11\/\d+ /);
    await tui.keys("n", "n");
    await tui.until(/change 2\/2/, /- line 70\b/);
    await tui.keys("N", "PageDown");
    await tui.until(/line 73\b/, /… 26 equal lines …/);
    await tui.keys("Home", "Tab");
    await tui.until(/▶ shop\/development → shop\/test/, /… 7 equal lines …/);
  });

  it("in a terminal a comparison says why it fails, and an environment that comes back is found again", async () => {
    const tui = await openTui();
    await tui.type(":diff shop/test");
    await tui.keys("Enter");
    await tui.until(/~ PORT/);
    await tui.file.write(withoutTest());
    // The program may not have read the file yet.
    await pressUntil(tui, "r", /✗ .*no environment .*shop\/test/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables 1\/6/, /shop +│[^\n]+\n│›● development[^\n]+\n│ +production/);
    await tui.file.write(EXAMPLE);
    await tui.until(/│›● development[^\n]+\n│ +test +· │/);
    await tui.type(":open shop/test");
    await tui.keys("Enter");
    await tui.until(/▶ Variables 1\/6/, /● test/);
    await tui.file.write(withoutTest());
    await tui.until(/✗ .*no environment .*shop\/test/);
    await tui.file.write(EXAMPLE);
    await tui.until(/▶ Variables 1\/6/, /● test +✓/);
  });
});

async function pressUntil(tui: Tui, key: string, expected: RegExp): Promise<void> {
  const press = async () => {
    await tui.keys(key);
    return tui.screen();
  };
  await expect.poll(press, { timeout: 20_000 }).toMatch(expected);
}
