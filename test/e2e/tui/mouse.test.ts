import { describe, expect, it } from "vitest";
import { hasTmux } from "../../support/tmux.js";
import { atBottom, isOn, manyVariables, openTui, type Tui } from "../../tui/support/open-tui.js";

type Action = "press" | "wheel-up" | "wheel-down";

const BUTTONS = { press: 0, "wheel-up": 64, "wheel-down": 65 } as const;

/** Sends the bytes of a terminal when a text on the screen is clicked, or the wheel is turned there. */
async function point(tui: Tui, text: string, action: Action = "press", times = 1): Promise<void> {
  const lines = (await tui.screen()).split("\n");
  const row = lines.findIndex((line) => line.includes(text)) + 1;
  const column = (lines[row - 1]?.indexOf(text) ?? 0) + 1;
  const at = `${BUTTONS[action]};${column};${row}`;
  await tui.type((action === "press" ? `\x1b[<${at}M\x1b[<${at}m` : `\x1b[<${at}M`).repeat(times));
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("the mouse in a real terminal", () => {
  it("a click selects, a double click opens, and a click on a hint presses its key", async () => {
    const tui = await openTui({ columns: 120 });
    await point(tui, "GREETING");
    await tui.until(isOn("GREETING"));
    await point(tui, " test ");
    await tui.until(/› {2}test /);
    await point(tui, " test ");
    // The hints move when the place is open.
    await tui.until(/shop\/test .*6 variables/, /›● test /, atBottom(/a add/));
    await point(tui, "? help");
    await tui.until(/▶ Help/);
    await point(tui, "Esc back");
    await tui.until(/▶ Variables/);
  });

  it("the wheel scrolls the panel under the mouse", async () => {
    const tui = await openTui({ content: manyVariables(100) });
    await point(tui, "V_004", "wheel-down");
    await tui.until(isOn("V_004"), (screen) => !screen.includes("V_003"));
    await point(tui, "V_004", "wheel-up");
    await tui.until(isOn("V_004"), /V_001/);
  });

  it("a paste with events of the mouse in it is text, and types no command", async () => {
    const tui = await openTui();
    await tui.keys("/");
    await tui.paste("\x1b[<0;5;5Mport");
    await tui.until(atBottom(/0 of 6/));
  });

  it("Ctrl-L redraws the screen after another program has overwritten it, in every mode", async () => {
    const tui = await openTui();
    for (const [key, seen] of [
      ["k", /▶ Variables/],
      ["?", /▶ Help/],
    ] as const) {
      await tui.keys(key);
      await tui.until(seen);
      await tui.overwrite("lost");
      await tui.until(/^lost/m);
      await tui.keys("C-l");
      await tui.until(seen, (screen) => !screen.includes("lost"));
    }
    expect(await tui.mouseOn()).toBe(true);
  });
});
