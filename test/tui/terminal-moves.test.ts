import { describe, expect, it } from "vitest";
import { hasTmux } from "../support/tmux.js";
import { isOn, manyVariables, openTui } from "./support/open-tui.js";

// Where there is no tmux there is no terminal to look at: CI installs it.
describe.skipIf(!hasTmux)("in a real terminal the cursor moves", () => {
  it("with arrows, by pages and to both ends, and with vim's keys alike", async () => {
    // At 80x24 eleven variables are seen.
    const tui = await openTui({ content: manyVariables(60) });
    for (const [key, name] of [
      ["Down", "V_002"],
      ["j", "V_003"],
      ["Up", "V_002"],
      ["k", "V_001"],
      ["PageDown", "V_012"],
      ["C-f", "V_023"],
      ["C-d", "V_028"],
      ["C-u", "V_023"],
      ["PageUp", "V_012"],
      ["C-b", "V_001"],
      ["End", "V_060"],
      ["Home", "V_001"],
      ["G", "V_060"],
      ["g", "V_001"],
    ] as const) {
      await tui.keys(key);
      await tui.until(isOn(name));
    }
    await tui.keys("k", "Down", "Down");
    expect(await tui.until(isOn("V_003"))).toContain("Variables 3/60");
  });

  it("between panels, and Enter opens another environment", async () => {
    const tui = await openTui();
    for (const [key, panel] of [
      ["Tab", "DATABASE_URL"],
      ["Tab", "Environments"],
      ["Tab", "Variables"],
      ["BTab", "Environments"],
      ["l", "Variables"],
      ["h", "Environments"],
      ["Right", "Variables"],
      ["Right", "DATABASE_URL"],
      ["Left", "Variables"],
      ["Enter", "DATABASE_URL"],
      ["Enter", "Variables"],
      ["Left", "Environments"],
    ] as const) {
      await tui.keys(key);
      await tui.until(new RegExp(`▶ ${panel}`));
    }
    await tui.keys("G", "k", "k");
    await tui.until(/┃› {2}billing\/develop/);
    await tui.keys("Enter");
    const screen = await tui.until(/▶ Variables 1\/4/);
    expect(screen).toMatch(/^ appvars {2}billing\/development .* 4 variables/);
    expect(screen).toMatch(/›● billing\/develop/);
    expect(screen).toContain("VAT_RATE");
  });
});
