import { describe, expect, it } from "vitest";
import { hasTmux } from "../../support/tmux.js";
import { atBottom, EXAMPLE, isOn, openTui } from "../../tui/support/open-tui.js";

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal m", () => {
  it("in a terminal m shows all environments of the application: gaps, values and the way to them", async () => {
    const tui = await openTui();
    await tui.keys("m");
    await tui.until(/NAME +● development +test +production/, /› DATABASE_URL +=.same +~.differs +~.differs/);
    await tui.until(/ SENTRY_DSN +- missing +- missing +=.same/);
    await tui.keys("t", "t");
    await tui.until(/only missing/, /› SENTRY_DSN/, (screen) => !/ PORT /.test(screen));
    await tui.keys("t", "/");
    await tui.type("por");
    await tui.keys("Enter");
    await tui.until(/shop 1\/1 .*\/por/, /› PORT/);
    await tui.keys("Escape");
    await tui.until(/shop 2\/6/);
    await tui.keys("N");
    await tui.until(/› DATABASE_URL/);
    await tui.keys("n", "Right", "l");
    await tui.until(/place 3\/3/, /│ › production +~ differs +•/);
    await tui.keys("v");
    await tui.until(/│ {3}development +=.same +3000/, /│ › production +~ differs +8080/);
    await tui.keys("V", "j");
    await tui.until(/─ DEBUG/, /│ › production +~ differs +false/);
    await tui.keys("Up", "h", "Left", "l", "Enter");
    await tui.until(/shop\/test/, isOn("PORT"), /▶ Variables/);
    await tui.keys("m", "Escape");
    await tui.until(/▶ Variables/);
  });

  it("in a terminal the matrix edits a value, copies it, and is up to date then", async () => {
    const tui = await openTui();
    await tui.keys("j", "m");
    await tui.until(/› PORT +=.same +~.differs +~.differs/);
    await tui.keys("l", "e");
    await tui.until(/Edit in shop\/test/, /› value +0/);
    await tui.keys("BSpace", "7", "C-s");
    await tui.until(/change PORT in shop\/test\?/);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ changed PORT/), /› PORT +=.same +~.differs/);
    await tui.keys(">");
    await tui.until(/Copy PORT to/);
    await tui.keys("Enter");
    await tui.until(/copy PORT to shop\/development\?/);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ copied PORT/), /› PORT +=.same +=.same +~.differs/);
    const { values }: typeof EXAMPLE = JSON.parse(await tui.saved());
    expect(values.find(({ id }) => id === 4)?.content.value).toBe(7);
    await tui.keys("u");
    await tui.until(/undo the change of PORT in shop\/development\?/);
    await tui.keys("Enter");
    await tui.until(/› PORT +=.same +~.differs +~.differs/);
    await tui.file.write(EXAMPLE);
    await tui.keys("v");
    await tui.until(/│ › test +~ differs +0/);
  });

  it("in a terminal the record shows the variable in the other environments, always masked", async () => {
    const tui = await openTui({ columns: 120, rows: 40 });
    await tui.keys("j");
    await tui.until(/in other environments/, /test +~ differs +•/, /production +~ differs +•/);
    await tui.keys("v");
    await tui.until(/│ 3000/, /production +~ differs +•/);
  });
});
