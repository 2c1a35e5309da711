import { describe, expect, it } from "vitest";
import { hasTmux } from "../../support/tmux.js";
import { openShell, openTuiInTmux, START } from "../../tui/support/tui-in-tmux.js";

/**
 * Checks that the screen has a header, panels from edge to edge, and a footer, each once, and
 * nothing else.
 */
function fills(columns: number, rows: number, footer: RegExp): (screen: string) => boolean {
  return (screen) => {
    const lines = screen.replace(/\n$/, "").split("\n");
    const body = lines.slice(1, -1);
    return (
      lines.length === rows &&
      /^ .* (?:old|variables)$/.test(lines[0] ?? "") &&
      lines[0]?.length === columns - 1 &&
      body.every((line) => line.length === columns && /^[╭│╰┏┃┗].*[╮│╯┓┃┛]$/.test(line)) &&
      screen.split("▶").length === 2 &&
      footer.test(lines.at(-1) ?? "")
    );
  };
}

const SIZES = [
  [40, 10],
  [60, 15],
  [200, 60],
  [80, 24],
  [120, 40],
] as const;

const SCREENS = [
  { keys: ["?"], footer: /^ Enter run .*\? help {2}Esc back$/, content: /┃ Find\s/ },
  { keys: ["d", "Enter"], footer: /^ > copy to .*Esc back$/, content: /~ PORT/ },
  { keys: ["m"], footer: /^ > copy to .*Esc back$/, content: /› {2}DATABASE_URL +=/ },
  { keys: ["e"], footer: /^ Ctrl-S review .*Esc back$/, content: /› value .*localhost/ },
  { keys: ["j"], footer: /\/ filter .* q quit$/, content: /› {2}PORT +NUMBER/ },
];

const TOO_SMALL = "The terminal is too small; it needs 40x10. Ctrl-C quits.";

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("when a real terminal becomes another size", () => {
  it("every screen fills a resized terminal", async () => {
    const tui = await openTuiInTmux({ columns: 120, rows: 40 });
    for (const { keys, footer, content } of SCREENS) {
      await tui.keys(...keys);
      await tui.until(fills(120, 40, footer));
      for (const [columns, rows] of SIZES) {
        await tui.resize(columns, rows);
        await tui.until(fills(columns, rows, footer), content);
      }
      await tui.keys("Escape");
      await tui.until(fills(120, 40, /q quit$/));
    }
  });

  it("a terminal that is too small shows a message until it is large enough", async () => {
    const tui = await openTuiInTmux();
    for (const [columns, rows] of [
      [39, 24],
      [40, 9],
      [20, 5],
    ] as const) {
      await tui.resize(columns, rows);
      await tui.until((screen) => screen.replaceAll(/\s+/g, " ").trim() === TOO_SMALL);
    }
    await tui.resize(40, 10);
    await tui.until(fills(40, 10, /q quit$/));
    await tui.resize(20, 5);
    await tui.until(/^The terminal is too/);
    await tui.keys("C-c");
    await tui.until(/sh>/);
  });

  it("with LC_ALL=C everything is ASCII", async () => {
    const shell = await openShell({ columns: 100 });
    await shell.run(`LC_ALL=C ${START}`);
    expect(
      await shell.until(/^\+- Environments -+\+\+- > Variables 1\/6 -+\+$/m, /q quit/),
    ).toMatch(/^[\n\x20-\x7e]*$/);
  });
});
