import { describe, expect, it } from "vitest";
import type { Data } from "../../src/store/data.js";
import { hasTmux } from "../support/tmux.js";
import { EXAMPLE, openTui } from "./support/open-tui.js";

/** The example without shop/test and what it held, and with another port, by which it is seen that it was read. */
function withoutTest(): Data {
  const values = EXAMPLE.values.map((value) => (value.id === 4 ? { ...value, content: { value: 3001 } } : value));
  return {
    ...EXAMPLE,
    environments: EXAMPLE.environments.filter((environment) => environment.id !== 2),
    values: values.filter((value) => value.environment_id !== 2),
  };
}

// Where there is no tmux there is no terminal to look at: CI installs it.
describe.skipIf(!hasTmux)("in a real terminal d", () => {
  it("compares with the environment that is chosen, side by side, and v shows the values", async () => {
    const tui = await openTui({ columns: 100 });
    await tui.keys("d");
    expect(await tui.until(/Compare shop\/development with/)).toMatch(/┃› {2}shop\/test/);
    await tui.keys("j");
    await tui.until(/┃› {2}shop\/production/);
    await tui.keys("Enter");
    const masked = await tui.until(/shop\/development → shop\/production {2}1\/6/);
    expect(masked).toMatch(/›~ DATABASE_URL +•+ +•+/);
    expect(masked).toMatch(/\+ SENTRY_DSN +\(not there\) +•+/);
    await tui.keys("G", "k");
    await tui.until(/›~ PORT +•/);
    await tui.keys("v");
    expect(await tui.until(/›~ PORT +3000 +8080/)).toMatch(/~ DATABASE_URL +•+ +•+/);
    await tui.keys("V");
    await tui.until(/~ GREETING +Hello, it's "devel.* +Welcome/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables/);
    await tui.type(":diff shop/test");
    await tui.keys("Enter");
    await tui.until(/shop\/development → shop\/test {2}1\/5/);
  });

  it("tells why the other can't be opened, and r tries again", async () => {
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
    const failed = await tui.until(/┃ ✗ .*no environment .*shop\/test/);
    expect(failed).toContain("r tries again");
    await tui.file.write(EXAMPLE);
    // Nothing but this key has it tried again; it may come before the program has read the file.
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
