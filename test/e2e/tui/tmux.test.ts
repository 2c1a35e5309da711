import { describe, expect, it } from "vitest";
import { hasTmux, PROMPT, tmux } from "../../support/tmux.js";

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("a terminal", () => {
  it("shows a program on the alternate screen, and the shell's screen is below", async () => {
    const terminal = await tmux({ columns: 50, rows: 10 });
    await terminal.run("seq 1 100 >numbers; less numbers");
    await terminal.until(/^1\n2\n/);
    expect(await terminal.alternateOn()).toBe(true);
    expect(await terminal.shellScreen()).toContain(`${PROMPT}seq`);
    await terminal.keys("G");
    await terminal.until(/\n100\n/);
    await terminal.resize(60, 20);
    await terminal.until((screen) => screen.split("\n")[19] === "(END)");
    await terminal.kill("SIGTERM");
    await terminal.until((screen) => screen.includes(`\n${PROMPT.trimEnd()}\n`));
    expect(await terminal.alternateOn()).toBe(false);
    await terminal.type("echo 'a;b';");
    await terminal.keys("Enter");
    await terminal.until(/^a;b$/m);
    await expect(terminal.kill("SIGTERM")).rejects.toThrow("no program");
  });

  it("shows colors, and takes text that a program puts into the clipboard", async () => {
    const terminal = await tmux({ terminal: "screen-256color" });
    await terminal.run(
      `printf '\\033[31mred\\033[0m \\033]52;c;aGk=\\007\\033[?25l%s' "$TERM$CI$HOME"`,
    );
    await terminal.until(/red screen-256color\/dev\/null/);
    expect(await terminal.screen({ colors: true })).toContain("\x1b[31mred");
    await expect.poll(() => terminal.clipboard()).toBe("hi");
    expect(await terminal.cursorVisible()).toBe(false);
  });
});
