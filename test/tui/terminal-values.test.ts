import { describe, expect, it } from "vitest";
import { valueText } from "../../src/domain/variable.js";
import { hasTmux } from "../support/tmux.js";
import { atBottom, EXAMPLE, isOn, openTui, type Tui } from "./support/open-tui.js";

/** All values and secrets of the file that could be told from what else is on a screen. */
const SECRETS = [
  ...EXAMPLE.values.map(({ content }) => valueText(content.value)),
  ...EXAMPLE.environments.map((environment) => environment.api_secret),
].filter((text) => text.length > 4);

async function expectMasked(tui: Tui): Promise<void> {
  const screen = await tui.screen({ colors: true });
  expect(SECRETS.filter((secret) => screen.includes(secret))).toEqual([]);
  expect(screen).toContain("••••••••");
}

/** Has the program's clock jump ahead when it gets SIGUSR2. */
const JUMP = `
  const now = Date.now;
  let ahead = 0;
  Date.now = () => now() + ahead;
  process.on("SIGUSR2", () => { ahead += 31_000; });
`;
const JUMPING = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(JUMP)}` };

// Where there is no tmux there is no terminal to look at: CI installs it.
describe.skipIf(!hasTmux)("in a real terminal values", () => {
  it("are masked to start with, wherever the cursor goes", async () => {
    const tui = await openTui({ columns: 200, rows: 40 });
    expect(SECRETS.length).toBeGreaterThan(20);
    await expectMasked(tui);
    for (const { name } of EXAMPLE.variables.slice(1, 5)) {
      await tui.keys("j");
      await tui.until(isOn(name));
      await expectMasked(tui);
    }
    await tui.keys("x");
    await tui.until(/delete GREETING from shop\/development\?/);
    await expectMasked(tui);
    await tui.keys("n", "d", "Enter");
    await tui.until(/shop\/development → shop\/test/);
    await expectMasked(tui);
  });

  it("are shown with v and V, and masked again by the same key and after 30 s", async () => {
    const tui = await openTui({ env: JUMPING });
    await tui.keys("v");
    expect(await tui.until(/values shown \d+ s/)).toMatch(/│ postgres:\/\/localhost\/shop_dev/);
    expect(await tui.screen()).toMatch(/PORT +NUMBER +•+/);
    await tui.keys("v");
    await tui.until((screen) => !screen.includes("values shown"));
    await expectMasked(tui);
    await tui.keys("V");
    const screen = await tui.until(/values shown \d+ s/);
    expect(screen).toMatch(/PORT +NUMBER +3000 /);
    expect(screen).toMatch(/FLAGS +JSON +\{"checkout_v2":/);
    await tui.keys("V");
    await tui.until((shown) => !shown.includes("values shown"));
    await tui.keys("v");
    await tui.until(/values shown (30|29) s/);
    await tui.kill("SIGUSR2");
    await tui.until((shown) => !shown.includes("values shown"));
    await expectMasked(tui);
  });

  it("are copied with y, and as a command that prints them with Y", async () => {
    const tui = await openTui();
    await tui.keys("y");
    await tui.until(atBottom(/DATABASE_URL .*clipboard/));
    expect(await tui.clipboard()).toBe("postgres://localhost/shop_dev");
    await tui.keys("j", "j", "j", "j");
    await tui.until(isOn("GREETING"));
    await tui.keys("Y");
    await tui.until(atBottom(/the command for GREETING .*clipboard/));
    const command = await tui.clipboard();
    expect(command).toMatch(/^appvars get GREETING --data \/.* --env shop\/development$/);
    await tui.keys("y");
    await tui.until(atBottom(/sent GREETING .*clipboard/));
    const value = `Hello, it's "development" 👋`;
    expect(await tui.clipboard()).toBe(value);
    await tui.keys("q");
    await tui.until((screen) => !screen.includes("Environments"));
    // In another folder it prints the same.
    await tui.run("cd /");
    await tui.run(command);
    await tui.until((screen) => screen.split("\n").includes(value));
  });
});
