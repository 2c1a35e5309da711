import { describe, expect, it } from "vitest";
import type { Data } from "../../../src/store/data.js";
import { hasTmux } from "../../support/tmux.js";
import { EXAMPLE, openTui } from "../../tui/support/open-tui.js";

/** The example without shop/test, and with another port, which shows that it was read. */
function withoutTest(): Data {
  const values = EXAMPLE.values.map((value) => (value.id === 4 ? { ...value, content: { value: 3001 } } : value));
  return {
    ...EXAMPLE,
    environments: EXAMPLE.environments.filter((environment) => environment.id !== 2),
    values: values.filter((value) => value.environment_id !== 2),
  };
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal d", () => {
  it("in a terminal d compares two environments side by side, and v reveals values", async () => {
    const tui = await openTui({ columns: 100 });
    await tui.keys("d");
    await tui.until(/Compare shop\/development with/, /┃› {2}shop\/test/);
    await tui.keys("j");
    await tui.until(/┃› {2}shop\/production/);
    await tui.keys("Enter");
    await tui.until(
      /shop\/development → shop\/production {2}1\/6/,
      /›~ DATABASE_URL +•+ +•+/,
      /\+ SENTRY_DSN +\(not there\) +•+/,
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

  it("in a terminal a comparison says why it fails, and r tries again", async () => {
    const tui = await openTui();
    await tui.file.write(withoutTest());
    await tui.until(/~ PORT/);
    await tui.type(":diff shop/test");
    await tui.keys("Enter");
    await tui.until(/✗ .*no environment .*shop\/test/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables 1\/6/);
    await tui.type(":open shop/test");
    await tui.keys("Enter");
    await tui.until(/┃ ✗ .*no environment .*shop\/test/, /r tries again/);
    await tui.file.write(EXAMPLE);
    // Only this key starts another try, which can come before the program has read the file.
    await expect
      .poll(
        async () => {
          await tui.keys("r");
          return tui.screen();
        },
        { timeout: 20_000 },
      )
      .toMatch(/Variables 1\/6[\s\S]*DATABASE_URL/);
  });
});
