import { describe, expect, it } from "vitest";
import { valueText } from "../../../src/domain/variable.js";
import { hasTmux } from "../../support/tmux.js";
import { atBottom, EXAMPLE, isOn, openTui, type Tui } from "../../tui/support/open-tui.js";

/** All values and secrets of the file that can't appear on the screen by chance. */
const SECRETS = [
  ...EXAMPLE.values.map(({ content }) => valueText(content.value)),
  ...EXAMPLE.environments.map((environment) => environment.api_secret),
].filter((text) => text.length > 4);

async function expectMasked(tui: Tui): Promise<void> {
  const screen = await tui.screen({ colors: true });
  expect(SECRETS.filter((secret) => screen.includes(secret))).toEqual([]);
  expect(screen).toContain("••••••••");
}

/** No value is shown, in the header and below it. */
function isMasked(screen: string): boolean {
  return !screen.includes("values shown") && !SECRETS.some((secret) => screen.includes(secret));
}

/** On SIGUSR2, moves the program's monotonic clock by half a minute, and its wall clock back by an hour. */
const JUMP = `
  const now = Date.now;
  const ticks = performance.now.bind(performance);
  let passed = 0;
  performance.now = () => ticks() + passed;
  process.on("SIGUSR2", () => {
    passed += 31_000;
    Date.now = () => now() - 3_600_000;
  });
`;
const JUMPING = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(JUMP)}` };

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal values", () => {
  it("in a terminal values are masked at first, wherever the cursor is", async () => {
    const tui = await openTui({ columns: 200, rows: 40 });
    expect(SECRETS.length).toBeGreaterThan(20);
    await expectMasked(tui);
    for (const { name } of EXAMPLE.variables.slice(1, 5)) {
      await tui.keys("j");
      await tui.until(isOn(name));
      await expectMasked(tui);
    }
    await tui.keys("x");
    await tui.until(/delete the value of GREETING in shop\/development\?/);
    await expectMasked(tui);
    await tui.keys("n", "d", "Enter");
    await tui.until(/shop\/development → shop\/test/);
    await expectMasked(tui);
  });

  it("in a terminal v and V reveal values, and mask them again, as 30 seconds do", async () => {
    const tui = await openTui({ env: JUMPING });
    await tui.keys("v");
    await tui.until(/values shown \d+ s/, /│ postgres:\/\/localhost\/shop_dev/, /PORT +NUMBER +•+/);
    await tui.keys("v");
    await tui.until(isMasked);
    await tui.keys("V");
    await tui.until(/values shown \d+ s/, /PORT +NUMBER +3000 /, /FLAGS +JSON +\{"checkout_v2":/);
    await tui.keys("V");
    await tui.until(isMasked);
    await tui.keys("v");
    await tui.until(/values shown \d+ s/, /│ postgres:\/\/localhost\/shop_dev/);
    await tui.kill("SIGUSR2");
    await tui.until(isMasked);
    await expectMasked(tui);
  });

  it("in a terminal y copies a value, and Y in other formats, such as a command that prints it", async () => {
    const tui = await openTui();
    await tui.keys("y");
    await tui.until(atBottom(/DATABASE_URL .*clipboard/));
    await expect.poll(() => tui.clipboard()).toBe("postgres://localhost/shop_dev");
    await tui.keys("Y");
    await tui.until(/Copy DATABASE_URL/, /› +value/);
    await tui.keys("j", "Enter");
    await tui.until(atBottom(/DATABASE_URL as name=value/));
    await expect.poll(() => tui.clipboard()).toBe("DATABASE_URL=postgres://localhost/shop_dev");
    await tui.keys("j", "j", "j", "j");
    await tui.until(isOn("GREETING"));
    await tui.keys("Y");
    await tui.until(/Copy GREETING/, /› +value/);
    await tui.keys("j", "j", "j", "j", "Enter");
    await tui.until(atBottom(/the command for GREETING .*clipboard/));
    await expect.poll(() => tui.clipboard()).toMatch(/^appvars get/);
    const command = await tui.clipboard();
    expect(command).toMatch(/^appvars get GREETING --data \/.* --env shop\/development$/);
    await tui.keys("y");
    await tui.until(atBottom(/sent GREETING .*clipboard/));
    const value = `Hello, it's "development" 👋`;
    await expect.poll(() => tui.clipboard()).toBe(value);
    await tui.keys("q");
    await tui.until((screen) => !screen.includes("Environments"));
    // In another folder it prints the same.
    await tui.run("cd /");
    await tui.run(command);
    await tui.until((screen) => screen.includes(value));
  });
});
