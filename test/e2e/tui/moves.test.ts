import { describe, it } from "vitest";
import { hasTmux } from "../../support/tmux.js";
import { isOn, manyVariables, openTui } from "../../tui/support/open-tui.js";

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal the cursor moves", () => {
  it("in a terminal arrows, page keys and vim's keys move the cursor", async () => {
    // At 80x24 eleven variables are visible.
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
    await tui.until(isOn("V_003"), /Variables 3\/60/);
  });

  it("in a terminal the focus moves between panels, and Enter opens another environment", async () => {
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
    await tui.until(/┃ billing +┃[\s\S]*┃› {2}development +· ┃/);
    await tui.keys("Enter");
    await tui.until(
      /^ appvars {2}billing\/development .* 4 variables/,
      /▶ Variables 1\/4/,
      /│›● development +✓ │/,
      /VAT_RATE/,
    );
  });
});
