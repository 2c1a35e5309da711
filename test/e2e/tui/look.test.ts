import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { hasTmux } from "../../support/tmux.js";
import { isOn, openShell, openTui, START } from "../../tui/support/open-tui.js";

/** Off, bold, dim, underlined, inverse; and the terminal's own colors. */
const UNCOLOURED = [0, 1, 2, 4, 7, 39, 49];

/** The SGR codes on a screen: 1 is bold, 7 inverse, 38 a color. */
function looks(screen: string): Set<number> {
  return new Set([...screen.matchAll(/\x1b\[([\d;]*)m/g)].flatMap(([, codes = ""]) => codes.split(";").map(Number)));
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal", () => {
  it("in a terminal NO_COLOR leaves bold, inverse and underlined text", async () => {
    const tui = await openTui({ env: { NO_COLOR: "1" } });
    await tui.type("/sentry");
    await tui.until(/Variables 1\/1/);
    const seen = looks(await tui.screen({ colors: true }));
    expect([...seen].filter((code) => !UNCOLOURED.includes(code))).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining([1, 4, 7]));
  });

  it("colors and keys work with TERM=screen-256color, and CI changes nothing", async () => {
    const tui = await openTui({ terminal: "screen-256color", env: { CI: "true" } });
    expect((await tui.screen()).trimEnd().split("\n")).toHaveLength(24);
    expect(await tui.alternateOn()).toBe(true);
    expect([...looks(await tui.screen({ colors: true }))]).toEqual(expect.arrayContaining([1, 7, 38]));
    for (const [key, name] of [
      ["End", "SENTRY_DSN"],
      ["Up", "GREETING"],
      ["Home", "DATABASE_URL"],
      ["PageDown", "SENTRY_DSN"],
      ["PageUp", "DATABASE_URL"],
    ] as const) {
      await tui.keys(key);
      await tui.until(isOn(name));
    }
    await tui.keys("q");
    await tui.until(/^sh> appvars.*\nsh>\s*$/);
  });

  it("the user's settings.json sets columns, keys and the mouse, and a mistake in it is an error", async () => {
    const config = await temporaryFolder();
    const file = join(config, "appvars", "settings.json");
    await mkdir(dirname(file), { mode: 0o700 });
    const write = (tui: object) => writeFile(file, JSON.stringify({ tui }), { mode: 0o600 });
    await write({ columns: ["type", "name"], keymap: { help: "f1", quit: "Q" }, mouse: false });
    const tui = await openTui({ env: { XDG_CONFIG_HOME: config } });
    await tui.until(/TYPE +NAME +│?┃/, /F1 help {2}Q quit/);
    expect(await tui.mouseOn()).toBe(false);
    await tui.keys("q", "F1", "End");
    await tui.until(/Q Ctrl-C +quit/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables/);
    await tui.keys("Q");
    await tui.until(/^sh> appvars.*\nsh>\s*$/);
    await write({ keymap: { quit: [] } });
    await tui.run(`clear; ${START}; echo "refused: $?"`);
    expect(await tui.until(/^refused: 2$/m)).toContain("settings.json: tui.keymap.quit: ");
  });

  it("the TUI refuses to start without a terminal, on stderr only", async () => {
    const shell = await openShell();
    const refusal = /tui needs a terminal as stdin and stdout[\s\S]*appvars list/;
    await shell.run(`{ ${START}; echo "piped: $?" >&2; } | cat`);
    expect(await shell.until(/^piped: \d/m)).toMatch(/^piped: 2$/m);
    expect(await shell.screen()).toMatch(refusal);
    await shell.run(`clear; ${START} </dev/null; echo "without stdin: $?"`);
    expect(await shell.until(/^without stdin: \d/m)).toMatch(/^without stdin: 2$/m);
    expect(await shell.screen()).toMatch(refusal);
    await shell.run(`clear; ${START} 2>/dev/null | wc -c | sed 's/^/bytes of stdout: /'`);
    expect(await shell.until(/^bytes of stdout: +\d/m)).toMatch(/^bytes of stdout: +0$/m);
    expect(await shell.alternateOn()).toBe(false);
  });
});
